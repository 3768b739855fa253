import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { jsonSchemaOf } from './json-schema.js';
import { serialiseJson } from './json.js';
import { type FieldTable, casesOf } from './resources/testing/field-table.js';
import { SETTLEMENT_INVOICE } from './resources/testing/invoice-table.js';
import {
  PRUDENTIAL_CALCULATION,
  PRUDENTIAL_CALCULATION_SUMMARY,
  SETTLEMENT_OUTPUT,
} from './resources/testing/prudential-tables.js';
import {
  SETTLEMENT_OUTPUT_DETAILS,
  SETTLEMENT_STATEMENT_SUMMARY,
} from './resources/testing/statement-tables.js';
import { SETTLEMENT_CYCLE_TIMELINE } from './resources/testing/timeline-table.js';

const TABLES = [
  PRUDENTIAL_CALCULATION,
  PRUDENTIAL_CALCULATION_SUMMARY,
  SETTLEMENT_OUTPUT,
  SETTLEMENT_STATEMENT_SUMMARY,
  SETTLEMENT_OUTPUT_DETAILS,
  SETTLEMENT_INVOICE,
  SETTLEMENT_CYCLE_TIMELINE,
] as readonly FieldTable[];

/** `full-date` of RFC 3339, as JSON Schema means `format: date`. */
const isDate = (text: string): boolean => {
  const moment = new Date(text);
  return !Number.isNaN(moment.getTime()) && moment.toISOString().slice(0, 10) === text;
};

/** A validator of another make, which refuses a schema with words that it does not know. */
const validatorOf = (table: FieldTable): ValidateFunction =>
  new Ajv2020({
    strict: true,
    strictTypes: false,
    formats: { double: true, int32: true, date: isDate },
  }).compile(jsonSchemaOf(table.resource));

/** As any client would read it: with doubles. */
const asAnyClient = (wire: unknown): unknown => JSON.parse(serialiseJson(wire));

/** What only the prose of the document says: labels, and which designation goes with which market service. */
const IN_PROSE = /^cycles\[0\]\.runs\[0\]\.designation: "[ ]*"$/;

describe.each(TABLES.map((table) => [table.resource.name, table] as const))('schema of %s', (_, table) => {
  const validate = validatorOf(table);

  it('gives the verdict of the strict form on every case of the tables', () => {
    const wrong = casesOf(table)
      .filter(({ inSchema }) => inSchema)
      .map((one) => ({ ...one, said: `${one.path}: ${one.written}` }))
      .filter(({ said }) => !IN_PROSE.test(said))
      .filter(({ wire, verdict }) => validate(asAnyClient(wire())) !== (verdict === 'accepted'));
    expect(wrong.map(({ said }) => said)).toEqual([]);
  });

  it('never refuses what the strict form takes', () => {
    const refused = casesOf(table).filter(
      ({ wire }) => table.resource.readStrict(wire()).ok && !validate(asAnyClient(wire())),
    );
    expect(refused.map(({ path, written }) => `${path}: ${written}`)).toEqual([]);
  });

  it('can be embedded: it names no dialect', () => {
    expect(jsonSchemaOf(table.resource)).not.toHaveProperty('$schema');
  });
});
