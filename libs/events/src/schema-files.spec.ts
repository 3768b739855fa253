import { readdirSync, readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { EVENT_TYPES } from './envelope/event-type.js';
import {
  DELIVERY_SCHEMA_FOLDER,
  deliverySchemaFiles,
  identities,
  IDENTITIES_FILE,
  SCHEMA_FOLDER,
  schemaFiles,
} from '../test/schema-files.js';
import { EXAMPLE_FOLDER, exampleFiles } from '../test/example-files.js';
import { SIGNED_EVENTS } from '../test/sample-events.js';
import { validateEvent } from './validate.js';

function readFiles(folder: URL): Record<string, object> {
  return Object.fromEntries(
    readdirSync(folder).map((name) => [
      name,
      JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as object,
    ]),
  );
}

// When this fails: npm run build && node libs/events/dist/test/write-schemas.js && npm run format
it('the committed schemas, identities and examples are those of the catalogue', () => {
  expect(readFiles(SCHEMA_FOLDER)).toEqual(Object.fromEntries(schemaFiles()));
  expect(readFiles(DELIVERY_SCHEMA_FOLDER)).toEqual(Object.fromEntries(deliverySchemaFiles()));
  expect(readFiles(EXAMPLE_FOLDER)).toEqual(Object.fromEntries(exampleFiles()));
  expect(JSON.parse(readFileSync(IDENTITIES_FILE, 'utf8'))).toEqual(identities());
});

it('each committed schema is strict, and accepts an event of its type and no other', () => {
  const files = readFiles(SCHEMA_FOLDER);
  const ajv = new Ajv({ strict: true, code: { optimize: false } });
  const acceptedBy = (type: string) => {
    const accepts = ajv.compile(files[`${type}.json`] ?? {});
    return EVENT_TYPES.filter((other) => accepts(SIGNED_EVENTS[other]));
  };
  expect(EVENT_TYPES.map(acceptedBy)).toEqual(EVENT_TYPES.map((type) => [type]));
});

interface TextSchema {
  readonly pattern: string;
  readonly not?: { readonly pattern: string };
}

/** The schemas with a pattern, at every depth, without those of `not`. */
function listTextSchemas(value: unknown): TextSchema[] {
  if (typeof value !== 'object' || value === null) return [];
  const members = Object.entries(value).flatMap(([name, member]) =>
    name === 'not' ? [] : listTextSchemas(member),
  );
  return 'pattern' in value && typeof value.pattern === 'string'
    ? [value as TextSchema, ...members]
    : members;
}

describe.each([
  ['event schemas', SCHEMA_FOLDER],
  ['delivery schemas', DELIVERY_SCHEMA_FOLDER],
])('the patterns of the %s mean the same in every engine', (_, folder) => {
  const schemas = Object.values(readFiles(folder)).flatMap(listTextSchemas);

  it('because they match the whole text, with explicit classes and without look-around', () => {
    const wrong = schemas.filter(
      ({ pattern }) => !/^\^.*\$$/.test(pattern) || /\\[a-zA-Z]|\(\?/.test(pattern),
    );
    expect(schemas.length).toBeGreaterThan(5);
    expect(wrong).toEqual([]);
  });

  it('because line ends and digits of other scripts are refused separately', () => {
    const further = ['\n', '\r', '\u0085', '\u2028', '\u2029', '\u0661', ' '];
    const wrong = schemas.filter(({ not }) => {
      const refused = new RegExp(not?.pattern ?? '(?!)', 'u');
      return refused.test('-1') || !further.every((character) => refused.test(`-1${character}`));
    });
    expect(wrong).toEqual([]);
  });
});

it('each committed example is valid', () => {
  const examples = Object.values(readFiles(EXAMPLE_FOLDER));
  expect(examples.filter((example) => !validateEvent(example).ok)).toEqual([]);
});
