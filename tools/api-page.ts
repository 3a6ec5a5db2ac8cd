/** docs/api.md: what the server of the page answers, from its table of routes. */
import { z } from 'zod';
import type { Route } from '../client/http/route.js';
import { ROUTES } from '../client/http/routes.js';
import { MAX_TOPICS, TOPIC_FORMS } from '../client/http/topics.js';

export function renderApi(): string {
  return [
    '# What the web server answers',
    '',
    'Generated from `client/http/routes.ts` and `client/http/shapes.ts` by `npm run docs`; do not edit.',
    '',
    '`sluice web` serves the page, and these routes for it, on an address of this machine alone. Programs may use them too, as the person who started it.',
    '',
    '- Every request names the one host that the server is called by, comes from no page of another origin or site, and is refused otherwise (403).',
    '- `Authorization: Bearer <key>` stands in every request but the first. The key is got with the code that `sluice web` printed; it ends with the server.',
    '- Bodies are JSON, of at most 256 KiB, with no field that is not listed; answers are JSON. Absent values are null, times ISO 8601 in UTC.',
    '- What fails answers `{"error": text, "mend": text or null}` with 400, 401, 403, 404, 409, 413, 415, 500 or 503; 503 means that nothing was sent, 500 that the server met something unexpected,',
    '  409 of a patch that the run has another head by now, or that git was ended before it had printed the change.',
    '- A message answers 200 where the run accepted it, 202 where the server keeps it until a worker is there, 409 where it was refused or came too late: `{"sent": word, "message": text}` each time.',
    '  `requestId` is of the sender: sent again under the same one it is the same message, and counts once.',
    '',
    ...ROUTES.flatMap(section),
    '## GET /api/stream',
    '',
    `Everything live, as server-sent events, each one line of JSON. \`?topic=\` names what, 1 to ${MAX_TOPICS} times:`,
    `${TOPIC_FORMS.map((form) => `\`${form}\``).join(', ')}.`,
    'Behind the `@` stands where a reader goes on: the number and hash of the last line of a journal, or a file and a byte of what an agent says.',
    'These are facts of the data, so that they outlive this server.',
    '',
  ].join('\n');
}

function section({ method, path, about, body, answer }: Route): readonly string[] {
  const fields = fieldsOf(body);
  return [
    `## ${method} ${path}`,
    '',
    `${about}.`,
    '',
    ...(fields.length === 0 ? [] : [`Body: ${fields.join(', ')}`, '']),
    `Answer: ${fieldsOf(answer).join(', ')}`,
    '',
  ];
}

function fieldsOf(schema: z.ZodType): readonly string[] {
  const { properties = {}, required = [] } = z.toJSONSchema(schema);
  return Object.keys(properties).map((name) =>
    required.includes(name) ? `\`${name}\`` : `\`${name}\` (may be left out)`,
  );
}
