import { MalformedJsonError, parseJson, serialiseJson } from '../values/json.js';
import { type ReadResult, type Resource } from '../schema/resource.js';
import { defineResource, int32 } from '../schemas.js';
import { z } from 'zod';
import {
  InvoiceRecord,
  PrudentialDetailRecord,
  PrudentialEstimationRecord,
  PrudentialRecord,
  StatementDetailRecord,
  StatementEstimationRecord,
  StatementRecord,
  TimelineRecord,
} from './records.js';

/** Loads JSON lines in one transaction: all or none. */
export const BULK_PATH = '/operator/v1/records';
/** One JSON object a line, each line ended by a line feed. Blank lines are ignored. */
export const BULK_MEDIA_TYPE = 'application/x-ndjson';

/**
 * The records that the operator API loads into the sandbox's reporting service: a record of document 000, and the fields that the record
 * itself lacks.
 */
export const RECORD_SCHEMAS = {
  prudential: PrudentialRecord,
  'prudential-details': PrudentialDetailRecord,
  'prudential-estimations': PrudentialEstimationRecord,
  statements: StatementRecord,
  'statement-details': StatementDetailRecord,
  'statement-estimations': StatementEstimationRecord,
  invoices: InvoiceRecord,
  timelines: TimelineRecord,
} as const;

export type RecordKind = keyof typeof RECORD_SCHEMAS;
export const RECORD_KINDS = Object.keys(RECORD_SCHEMAS) as RecordKind[];

/** Where one record of a kind is loaded. */
export function operatorPath(kind: RecordKind): string {
  return `/operator/v1/${kind}`;
}

/** One line: `{"kind":"statements","record":{"statement":{…}}}`. */
export type BulkLine = { [Kind in RecordKind]: { kind: Kind; record: RecordOf<Kind> } }[RecordKind];
export type RecordOf<Kind extends RecordKind> =
  (typeof RECORD_SCHEMAS)[Kind] extends Resource<infer Value> ? Value : never;

/** The response: the number of new records, and of records that existed already. */
export const BulkLoadResult = defineResource('BulkLoadResult', (builder) =>
  builder.object({ loaded: int32(0, 2147483647), alreadyThere: int32(0, 2147483647) }),
);
export type BulkLoadResult = z.output<typeof BulkLoadResult.strict>;

const UncheckedLine = defineResource('BulkLine', (builder) =>
  builder.object({ kind: z.enum(RECORD_KINDS as [RecordKind, ...RecordKind[]]), record: z.unknown() }),
);

/** Parses one line with the strict schema. The paths of issues begin at the line's object: `record.statement.runId`. */
export function parseBulkLine(line: string): ReadResult<BulkLine> {
  const unchecked = parseUncheckedLine(line);
  if (!unchecked.ok) return unchecked;
  const { kind, record } = unchecked.value;
  const result = RECORD_SCHEMAS[kind].readStrict(record) as ReadResult<unknown>;
  if (!result.ok) {
    const issues = result.issues.map(({ path, message }) => ({
      path: path === '' ? 'record' : `record.${path}`,
      message,
    }));
    return { ok: false, issues };
  }
  return { ok: true, value: { kind, record: result.value } as BulkLine, unknownProperties: [] };
}

/** One line without its line feed. @throws InvalidRecordError */
export function serialiseBulkLine({ kind, record }: BulkLine): string {
  const schema = RECORD_SCHEMAS[kind] as unknown as Resource<unknown>;
  return serialiseJson({ kind, record: schema.toJson(record) });
}

function parseUncheckedLine(line: string): ReadResult<{ kind: RecordKind; record: unknown }> {
  try {
    return UncheckedLine.readStrict(parseJson(line));
  } catch (error) {
    if (!(error instanceof MalformedJsonError)) throw error;
    return { ok: false, issues: [{ path: '', message: error.message }] };
  }
}

/** The participant of a record; undefined for the timeline, which is for all participants. */
export function participantOf(line: BulkLine): string | undefined {
  switch (line.kind) {
    case 'prudential':
    case 'prudential-details':
    case 'prudential-estimations':
    case 'invoices':
      return line.record.participantCode;
    case 'statements':
      return line.record.statement.participantCode;
    case 'statement-details':
    case 'statement-estimations':
      return line.record.details.participantCode;
    case 'timelines':
      return undefined;
    default:
      return line satisfies never;
  }
}
