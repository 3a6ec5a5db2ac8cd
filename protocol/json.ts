/** What survives Temporal's JSON payload converter unchanged. Wire types are built from these. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

export type JsonObject = { readonly [key: string]: Json };
