import type { Move } from './kind.js';

/** Source: the XDG base directory specification. */
export const XDG_MOVES: readonly Move[] = [
  { from: '.config', variable: 'XDG_CONFIG_HOME', to: '' },
  { from: '.local/share', variable: 'XDG_DATA_HOME', to: '' },
  { from: '.local/state', variable: 'XDG_STATE_HOME', to: '' },
  { from: '.cache', variable: 'XDG_CACHE_HOME', to: '' },
];
