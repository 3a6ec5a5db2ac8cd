/** The part of a policy that says how far agents and commands are kept in. Whether it can be done on a host is decided there. */
import type { SandboxPolicy } from '../protocol/policy.js';
import type { PolicyReader } from './policy-reader.js';

export function resolveSandbox(read: PolicyReader): SandboxPolicy {
  return {
    use: read.strictest('sandbox'),
    network: read.strictest('network'),
    allow: read.union('networkAllow'),
    home: read.union('sandboxHome'),
  };
}
