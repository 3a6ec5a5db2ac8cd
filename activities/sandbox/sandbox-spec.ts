/**
 * What one sandboxed command needs, told by the worker to the outer program (main.ts) in a file of the command's folder, which nothing inside a
 * sandbox sees. Where a worker dies, the file and the outer program stay: it asks nobody again.
 */

/** In order: a later one lies over an earlier one. Shape: absolute paths. `read` and `write` show a place of the host, at the path `to`. */
export type Mount =
  | { readonly kind: 'read'; readonly from: string; readonly to: string }
  | { readonly kind: 'write'; readonly from: string; readonly to: string }
  | { readonly kind: 'link'; readonly target: string; readonly to: string }
  /** In memory, gone at the end. */
  | { readonly kind: 'empty'; readonly to: string }
  | { readonly kind: 'folder'; readonly to: string }
  /** Copied in, so that a change inside stays inside. */
  | { readonly kind: 'copy'; readonly from: string; readonly to: string };

export interface SandboxSpec {
  readonly version: 1;
  /** Absolute path of bubblewrap. */
  readonly bwrap: string;
  readonly mounts: readonly Mount[];
  readonly cwd: string;
  /** Who starts it is root outside. */
  readonly asRoot: boolean;
  readonly program: readonly [string, ...string[]];
  readonly network: 'off' | 'proxy' | 'on';
  /** Hosts that the person listed, as `parseNetworkHost` reads them. */
  readonly allow: readonly string[];
  /** Hosts that agents and registries are known to have. */
  readonly known: readonly string[];
  /** The program inside that starts the real one; a file of ours. */
  readonly inside: string;
  /** Of node, on the host and inside. */
  readonly node: string;
}

/** Programs of ours that a sandbox starts with. */
export interface SandboxPrograms {
  /** On the host: reads the spec, opens the proxy, starts bubblewrap. */
  readonly main: string;
  /** Inside, as a single file. */
  readonly inside: string;
}

export const SPEC_FILE = 'sandbox.json';

/** Beside the spec: the proxy's socket. */
export const PROXY_SOCKET = 'proxy.sock';

/** Beside the spec: what the proxy refused, one JSON text a line. */
export const REFUSED_FILE = 'refused-hosts.jsonl';

/** Where our own things lie inside. */
export const INSIDE_FOLDER = '/run/sluice';
