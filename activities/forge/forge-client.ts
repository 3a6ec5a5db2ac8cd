/**
 * One request of a forge and what came of it. Octokit is loaded by the first one, so that a worker without a forge never has it; its own waiting and repeating is off, for those are the
 * workflow's. Nothing here decides what an answer is good for.
 */
import type { Octokit } from 'octokit';
import { messageOf } from '../../config/system/error-code.js';
import type { ForgeTrouble } from '../../protocol/actors/forge.js';
import type { Failpoint } from '../../protocol/failpoints.js';
import { MAX_SENTENCE_CHARS } from '../../protocol/limits.js';
import { type Fields, fieldsOf, textIn } from '../../protocol/text/fields.js';
import { graphqlTroubleOf, troubleOf } from './forge-trouble.js';

export interface ForgeAccess {
  readonly apiUrl: string;
  readonly token: string;
  /** The end of the activity. */
  readonly stop: AbortSignal;
  readonly failpoint: Failpoint;
  readonly limitMs?: number;
}

/** `headers`: by their names in small letters; of GraphQL none are known. */
export type ForgeAnswer = { readonly kind: 'answer'; readonly data: unknown; readonly headers: Fields } | ForgeTrouble;

export interface ForgeClient {
  /** Such as `GET /repos/{owner}/{repo}`, with what stands in it and what else is asked. Errors: the reason of `stop`. */
  rest(route: string, parameters: Fields): Promise<ForgeAnswer>;
  /** Errors: the reason of `stop`. */
  graphql(query: string, variables: Fields): Promise<ForgeAnswer>;
}

const LIMIT_MS = 20_000;

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

export async function openForgeClient(access: ForgeAccess): Promise<ForgeClient> {
  const { Octokit: Client } = await import('octokit');
  const octokit: Octokit = new Client({
    auth: access.token,
    baseUrl: access.apiUrl,
    userAgent: 'sluice',
    log: SILENT,
    throttle: { enabled: false },
    retry: { enabled: false },
  });
  return {
    rest: (route, parameters) =>
      attempt(access, async (request) => {
        const { status, headers, data } = await octokit.request(route, { ...parameters, request });
        // A redirect is not followed: it would turn a write into a read.
        if (status < 300) return { kind: 'answer', data, headers };
        return troubleOf({ status, headers, message: null, now: Date.now() });
      }),
    graphql: (query, variables) =>
      attempt(access, async (request) => {
        const data = await octokit.graphql(query, { ...variables, request });
        return saysSomething(data) ? { kind: 'answer', data, headers: {} } : NO_ANSWER;
      }),
  };
}

const NO_ANSWER: ForgeTrouble = { kind: 'unreachable', why: 'the forge answered what is no answer to GraphQL' };

/** A redirect to a login, or a page in the place of the forge, has no data for octokit; what nothing came of is null. */
function saysSomething(data: unknown): boolean {
  return Object.values(fieldsOf(data)).some((asked) => asked !== null);
}

/** The signals are looked at before the status: octokit tells an abort as HTTP 500. */
async function attempt(access: ForgeAccess, ask: Ask): Promise<ForgeAnswer> {
  access.stop.throwIfAborted();
  access.failpoint('forge.before-request');
  const answer = await answerOf(access, ask);
  access.failpoint('forge.after-request');
  return answer;
}

type Ask = (request: { readonly signal: AbortSignal; readonly redirect: 'manual' }) => Promise<ForgeAnswer>;

async function answerOf({ stop, limitMs = LIMIT_MS }: ForgeAccess, ask: Ask): Promise<ForgeAnswer> {
  const limit = AbortSignal.timeout(limitMs);
  try {
    return await ask({ signal: AbortSignal.any([stop, limit]), redirect: 'manual' });
  } catch (error) {
    stop.throwIfAborted();
    if (limit.aborted) return { kind: 'unreachable', why: `no answer within ${limitMs / 1000} s` };
    return meaningOf(error);
  }
}

function meaningOf(error: unknown): ForgeTrouble {
  const { status, response, errors, headers } = fieldsOf(error);
  const now = Date.now();
  if (Array.isArray(errors) && errors.length > 0)
    return graphqlTroubleOf(errors, { status: 200, headers: fieldsOf(headers), message: null, now });
  const { headers: answered, data } = fieldsOf(response);
  // Without an answer octokit says 500 of whatever kept it away.
  if (typeof status !== 'number' || response === undefined)
    return { kind: 'unreachable', why: reasonOf(error).slice(0, MAX_SENTENCE_CHARS) };
  return troubleOf({ status, headers: fieldsOf(answered), message: messageIn(data), now });
}

/** Of "Validation Failed" only the parts say what it is. */
function messageIn(data: unknown): string | null {
  const { errors, ...fields } = fieldsOf(data);
  const parts = Array.isArray(errors) ? errors.map((error) => textIn(fieldsOf(error), 'message')) : [];
  const said = [textIn(fields, 'message'), ...parts].filter((text) => text !== null);
  return said.length === 0 ? null : said.join(': ');
}

/** `fetch failed` says nothing; its cause does. */
function reasonOf(error: unknown): string {
  const cause = typeof error === 'object' && error !== null && 'cause' in error ? error.cause : undefined;
  return messageOf(cause ?? error);
}
