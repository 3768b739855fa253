import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { serialiseJson } from '../values/json.js';
import { toJsonSchema } from './resource.js';
import { type FieldTable, listCases } from '../../test/field-table.js';
import { SETTLEMENT_INVOICE } from '../../test/invoice-table.js';
import {
  PRUDENTIAL_CALCULATION,
  PRUDENTIAL_CALCULATION_SUMMARY,
  SETTLEMENT_OUTPUT,
} from '../../test/prudential-tables.js';
import { SETTLEMENT_OUTPUT_DETAILS, SETTLEMENT_STATEMENT_SUMMARY } from '../../test/statement-tables.js';
import { SETTLEMENT_CYCLE_TIMELINE } from '../../test/timeline-table.js';

const TABLES = [
  PRUDENTIAL_CALCULATION,
  PRUDENTIAL_CALCULATION_SUMMARY,
  SETTLEMENT_OUTPUT,
  SETTLEMENT_STATEMENT_SUMMARY,
  SETTLEMENT_OUTPUT_DETAILS,
  SETTLEMENT_INVOICE,
  SETTLEMENT_CYCLE_TIMELINE,
] as readonly FieldTable[];

/** `format: date` of JSON Schema: `full-date` of RFC 3339. */
const isDate = (text: string): boolean => {
  const date = new Date(text);
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === text;
};

/** An independent validator that refuses unknown keywords. */
const compileSchema = (table: FieldTable): ValidateFunction =>
  new Ajv2020({
    strict: true,
    strictTypes: false,
    formats: { double: true, int32: true, date: isDate },
  }).compile(toJsonSchema(table.resource));

/** The value as other clients parse it, with doubles. */
const toPlainJson = (json: unknown): unknown => JSON.parse(serialiseJson(json));

/** A rule in the document's prose: the blank designation of STEM. */
const IN_PROSE = /^cycles\[0\]\.runs\[0\]\.designation: "[ ]*"$/;

describe.each(TABLES.map((table) => [table.resource.name, table] as const))(
  'the JSON Schema of %s',
  (_, table) => {
    const validate = compileSchema(table);

    it('gives the verdict of the strict variant for every case of the tables, and refuses nothing that it accepts', () => {
      const wrong = listCases(table).filter(({ path, text, json, verdict, inSchema }) => {
        const value = json();
        const accepted = validate(toPlainJson(value));
        const isDecidable = inSchema && !IN_PROSE.test(`${path}: ${text}`);
        return isDecidable
          ? accepted !== (verdict === 'accepted')
          : !accepted && table.resource.readStrict(value).ok;
      });
      expect(wrong.map(({ path, text }) => `${path}: ${text}`)).toEqual([]);
    });

    it('has no $schema, so that it can be embedded', () => {
      expect(toJsonSchema(table.resource)).not.toHaveProperty('$schema');
    });
  },
);
