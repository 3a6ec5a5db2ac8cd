/** Rows of docs/security.md of which an agent's turn can try nothing, each with the reason; their tests stand beside it. */
export const NOT_TRIED: Readonly<Record<string, string>> = {};
