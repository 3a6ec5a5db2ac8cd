import { describe, expect, it } from '@jest/globals';
import protobuf from 'protobufjs';
import { type ApiParts, keepSpokenApi } from '../../../tools/spoken-api.js';

const field = (type: string, id = 1) => ({ type, id });

const PACKAGES: ApiParts = {
  temporal: {
    nested: {
      api: {
        nested: {
          common: {
            nested: {
              Payload: { fields: { data: field('bytes'), kind: field('Kind', 2) } },
              Payloads: { fields: { payloads: { rule: 'repeated', ...field('Payload') } } },
              Kind: { values: { ONE: 0, TWO: 1 } },
              Outer: {
                fields: { alone: field('Unused') },
                nested: { Inner: { fields: { text: field('string') } }, Other: { fields: {} } },
              },
              Unused: { fields: {} },
            },
          },
          service: {
            nested: {
              StartRequest: { fields: { input: field('temporal.api.common.Payloads') } },
              StartResponse: { fields: {} },
              StopRequest: { fields: { why: field('StopReason') } },
              StopReason: { fields: {} },
              StopResponse: { fields: {} },
              Service: {
                methods: {
                  Start: { requestType: 'StartRequest', responseType: 'StartResponse' },
                  Stop: { requestType: 'StopRequest', responseType: 'StopResponse' },
                },
              },
            },
          },
          cloud: { nested: { Account: { fields: { owner: field('string') } } } },
        },
      },
    },
  },
};

function keptNames(text: string): readonly string[] {
  const names: string[] = [];
  const walk = (parts: ApiParts, before: string) => {
    for (const [name, part] of Object.entries(parts)) {
      if (part.fields !== undefined || part['values'] !== undefined || part.methods !== undefined) names.push(name);
      walk(part.nested ?? {}, `${before}${name}.`);
    }
  };
  walk(keepSpokenApi(PACKAGES, text), '');
  return names.toSorted();
}

describe('the API as far as it is spoken', () => {
  it('has what the text names, and what that is made of', () => {
    expect(keptNames('proto.temporal.api.common.Payloads.encode(x)')).toEqual(['Kind', 'Payload', 'Payloads']);
  });

  it('has of a service the methods that are called, with their messages', () => {
    const text = 'const S = temporal.api.service.Service; client.start({}); const { stop } = client;';
    expect(keptNames(text)).toEqual(['Kind', 'Payload', 'Payloads', 'Service', 'StartRequest', 'StartResponse']);
    const { temporal } = keepSpokenApi(PACKAGES, text);
    expect(temporal?.nested?.['api']?.nested?.['service']?.nested?.['Service']?.methods).toEqual({
      Start: { requestType: 'StartRequest', responseType: 'StartResponse' },
    });
  });

  it('has every message of a package that is named itself, and of a package around it none', () => {
    expect(keptNames('const { Account } = temporal.api.cloud;')).toEqual(['Account']);
    expect(keptNames('const { cloud } = temporal.api;')).toEqual([]);
  });

  it('has a message around one that is named without its fields', () => {
    const text = 'temporal.api.common.Outer.Inner.decode(x)';
    expect(keptNames(text)).toEqual(['Inner', 'Outer']);
    const { temporal } = keepSpokenApi(PACKAGES, text);
    expect(temporal?.nested?.['api']?.nested?.['common']?.nested?.['Outer']?.fields).toEqual({});
  });

  it('encodes what the whole encodes', () => {
    const encoded = (parts: ApiParts) =>
      protobuf.Root.fromJSON({ nested: parts } as protobuf.INamespace)
        .lookupType('temporal.api.common.Payloads')
        .encode({ payloads: [{ data: Buffer.from('abc'), kind: 1 }] })
        .finish();
    expect(encoded(keepSpokenApi(PACKAGES, 'temporal.api.common.Payloads'))).toEqual(encoded(PACKAGES));
  });
});
