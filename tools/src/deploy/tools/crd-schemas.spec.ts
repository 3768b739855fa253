import { Ajv } from 'ajv';
import { toJsonSchemas } from './crd-schemas.js';

const schemas = toJsonSchemas({
  spec: {
    group: 'example.org',
    names: { kind: 'Scaler' },
    versions: [
      {
        name: 'v1',
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              port: { 'x-kubernetes-int-or-string': true },
              note: { type: 'string', nullable: true },
              free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: {} },
              properties: { type: 'object', properties: { size: { type: 'integer' } } },
            },
          },
        },
      },
    ],
  },
});

describe('toJsonSchemas', () => {
  const accepts = new Ajv({ strict: false }).compile(schemas['scaler-example.org-v1.json'] ?? false);

  it.each([
    ['a number or a text', { port: 80 }, true],
    ['a number or a text', { port: 'http' }, true],
    ['another type', { port: [] }, false],
    ['null where it is allowed', { note: null }, true],
    ['an unknown field', { prot: 80 }, false],
    ['an unknown field where they are kept', { free: { any: 1 } }, true],
    ['a field called properties', { properties: { size: 1 } }, true],
    ['an unknown field in a field called properties', { properties: { sise: 1 } }, false],
  ])('decides about %s', (_, value, accepted) => {
    expect(accepts(value)).toBe(accepted);
  });
});
