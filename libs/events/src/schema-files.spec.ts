import { readdirSync, readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { buildEventSchema } from './catalogue.js';
import { EVENT_TYPES } from './envelope/event-type.js';
import { SCHEMA_FOLDER, schemaFiles } from './schema-files.js';
import { EXAMPLE_FOLDER, exampleFiles } from './testing/example-files.js';
import { SIGNED_EVENTS } from './testing/sample-events.js';
import { validateEvent } from './validate.js';

// When one of these fails: npm run build && node libs/events/dist/write-schemas.js
describe('the committed schemas', () => {
  it('are exactly those of the catalogue', () => {
    expect(readdirSync(SCHEMA_FOLDER).sort()).toEqual(EVENT_TYPES.map((type) => `${type}.json`).sort());
  });

  it.each(EVENT_TYPES)('%s is up to date', (type) => {
    const committed = readFileSync(new URL(`${type}.json`, SCHEMA_FOLDER), 'utf8');
    expect(committed).toBe(schemaFiles().get(`${type}.json`));
    expect(JSON.parse(committed)).toEqual(buildEventSchema(type));
  });

  it.each(EVENT_TYPES)('%s accepts an event of its type and no other', (type) => {
    const accepts = new Ajv({ strict: true }).compile(
      JSON.parse(readFileSync(new URL(`${type}.json`, SCHEMA_FOLDER), 'utf8')) as object,
    );
    expect(EVENT_TYPES.filter((other) => accepts(SIGNED_EVENTS[other]))).toEqual([type]);
  });
});

describe('the committed examples', () => {
  it('are one for each type', () => {
    expect(readdirSync(EXAMPLE_FOLDER).sort()).toEqual(EVENT_TYPES.map((type) => `${type}.json`).sort());
  });

  it.each(EVENT_TYPES)('%s is up to date and valid', (type) => {
    const committed = readFileSync(new URL(`${type}.json`, EXAMPLE_FOLDER), 'utf8');
    expect(committed).toBe(exampleFiles().get(`${type}.json`));
    expect(validateEvent(JSON.parse(committed))).toMatchObject({ ok: true, event: { type } });
  });
});
