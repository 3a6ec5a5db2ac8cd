/** Where a forge may ring (`engine.webhook`). The key that signs a delivery is in a variable, of which the file has the name alone. */
import { z } from 'zod';
import { integer } from './key-values.js';
import { secretName } from './notify-sinks.js';

const RULE = 'must be {port: number, secretEnv: NAME}';

export const engineWebhook = z
  .strictObject({ port: integer(1024, 65_535), secretEnv: secretName }, { error: RULE })
  .readonly();
