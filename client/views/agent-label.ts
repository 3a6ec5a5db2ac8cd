/** Who works, in words. Pure. */

/** A scripted agent is labelled wherever an agent is named. */
export function agentLabel({ name, adapter }: { readonly name: string; readonly adapter: string }): string {
  return adapter === 'scripted' && name !== 'scripted' ? `${name}, scripted` : name;
}
