/** Every try, by group. */

import { FILES } from './tries/files.js';
import { REST } from './tries/rest.js';
import type { Try } from './try.js';

export const TRIES: readonly Try[] = [...FILES, ...REST];
