/** Every try, by group. */
import { DESCRIPTORS } from './tries/descriptors.js';
import { FILES } from './tries/files.js';
import { GIT, LEFT_BEHIND, STEERING } from './tries/git.js';
import { LINKS } from './tries/links.js';
import { NETWORK, SOCKETS } from './tries/network.js';
import { PROC } from './tries/proc.js';
import { PROCESSES, SIZES } from './tries/processes.js';
import { ENGINE, STREAMS } from './tries/streams.js';
import type { Try } from './try.js';

export const TRIES: readonly Try[] = [
  ...FILES,
  ...LINKS,
  ...DESCRIPTORS,
  ...PROC,
  ...GIT,
  ...NETWORK,
  ...SOCKETS,
  ...PROCESSES,
  ...SIZES,
  ...STREAMS,
  ...STEERING,
  ...LEFT_BEHIND,
  ...ENGINE,
];
