/** Every GraphQL operation of the product against the forge's own published schema: the fake forge answers by the name of an operation, and does not read it. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { schema } from '@octokit/graphql-schema';
import { buildSchema, parse, validate } from 'graphql';

const FOLDER = 'activities/forge';

function operationsIn(file: string): readonly string[] {
  const text = readFileSync(`${FOLDER}/${file}`, 'utf8');
  return [...text.matchAll(/`((?:query|mutation) [^`]+)`/g)].map(([, operation = '']) =>
    operation.replaceAll(/\$\{[A-Z_]+\}/g, '100'),
  );
}

describe('the GraphQL operations of the product', () => {
  const operations = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap(operationsIn);
  // As it is published, with a field defined twice.
  const published = buildSchema(schema.idl, { assumeValidSDL: true });

  it('are found in its text', () => {
    expect(operations.length).toBeGreaterThanOrEqual(7);
  });

  it.each(operations.map((operation) => [/\w+ (\w+)/.exec(operation)?.[1] ?? 'nameless', operation]))(
    '%s is one that the forge takes',
    (_, operation) => {
      expect(validate(published, parse(operation)).map(({ message }) => message)).toEqual([]);
    },
  );
});
