/** A route as one row of a table: what it takes and answers as schemas, and what it does. The router, docs/api.md and the page's types are made of the rows. */
import { z } from 'zod';
import type { RunLister } from './list-runs.js';
import type { LiveHub } from './live-hub.js';
import type { ServerLine } from './server-line.js';
import type { WebSession } from './web-session.js';

/** What handlers work with. */
export interface WebParts {
  readonly session: WebSession;
  readonly line: ServerLine;
  readonly lister: RunLister;
  readonly hub: LiveHub;
  /** The sluice home. */
  readonly home: string;
  /** Who decides: the person who started the server. */
  readonly by: string;
  /** How a person gets another code: what mends a key or code that is none. */
  readonly newCode: string;
}

export interface RouteRow<Params extends z.ZodType, Body extends z.ZodType, Answer extends z.ZodType> {
  readonly method: 'GET' | 'POST';
  /** `:name` stands for one segment. */
  readonly path: string;
  readonly about: string;
  /** Without a key. */
  readonly open?: true;
  readonly params: Params;
  readonly body: Body;
  readonly answer: Answer;
  readonly handle: (
    asked: { readonly params: z.infer<Params>; readonly body: z.infer<Body> },
    parts: WebParts,
  ) => Promise<z.infer<Answer> | Answered<z.infer<Answer>>>;
}

/** An answer with another status than 200. */
export class Answered<T> {
  constructor(
    readonly status: 202 | 409,
    readonly value: T,
  ) {}
}

/** What is wrong with a request, for people. */
export class WebFailure extends Error {
  constructor(
    readonly status: 400 | 401 | 404 | 409 | 503,
    message: string,
    readonly mend: string | null = null,
  ) {
    super(message);
  }
}

export type Route = RouteRow<z.ZodType, z.ZodType, z.ZodType>;

/** Keeps the types of a row together until it stands in the table. */
export function route<Params extends z.ZodType, Body extends z.ZodType, Answer extends z.ZodType>(
  row: RouteRow<Params, Body, Answer>,
): Route {
  return row as unknown as Route; // Its schemas are asked before its handler, which so gets what it takes.
}

/** Of a route that takes no body, or no parameters. */
export const NOTHING = z.strictObject({});
