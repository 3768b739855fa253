/** JSON texts to put in a field's place, and what becomes of them there. */
export interface FieldKind {
  /** Accepted by both forms. Bounds are among them, exactly. */
  readonly good: readonly string[];
  /** Refused by both forms. */
  readonly bad: readonly string[];
  /** Refused by both forms, for a reason that JSON Schema cannot tell. */
  readonly badBeyondSchema?: readonly string[];
  /** Refused by the strict form alone: a client reads it generously. */
  readonly badStrictly?: readonly string[];
}

/** So many characters, none of which is one byte. */
export const long = (length: number): string => JSON.stringify('é'.repeat(length));
/** So many characters that UTF-16 writes as two units each. */
const longBeyondBmp = (length: number): string => JSON.stringify('😀'.repeat(length));

const NO_TEXT = ['1', 'true', '{}', '[]'];

/** A string of at most so many characters; of those that are given when not every text will do. */
export function text(maxLength: number, good?: readonly string[]): FieldKind {
  const bad = [long(maxLength + 1), longBeyondBmp(maxLength + 1), ...NO_TEXT];
  return { good: good ?? ['""', '"x"', long(maxLength), longBeyondBmp(maxLength)], bad };
}

/** A string of any length. */
export const ANY_TEXT: FieldKind = { good: ['""', '"x"', long(1000)], bad: NO_TEXT };

/** One of a list; only the `good` of them go with the rest of the record. */
export function oneOf(maxLength: number, good: readonly string[]): FieldKind {
  const bad = ['""', '"X"', ...good.map((value) => value.toLowerCase()), long(maxLength + 1), ...NO_TEXT];
  return { good, bad };
}

const NO_NUMBER = ['"1.5"', '""', 'true', '{}', '[1]'];

/** decimal(p,s): at most p digits in total, s of them after the point. */
export function decimal(precision: number, scale: number): FieldKind {
  const nines = (count: number): string => '9'.repeat(count);
  const smallest = `0.${'0'.repeat(scale - 1)}1`;
  const fullest = `${nines(precision - scale)}.${nines(scale)}`;
  return {
    good: [
      '0',
      '-1',
      smallest,
      `-${smallest}`,
      fullest,
      `-${fullest}`,
      nines(precision),
      `${smallest}000`,
      '1E2',
      '1e-2',
    ],
    bad: [...NO_NUMBER, `1${'0'.repeat(precision + 1)}`, '-1e40'],
    badBeyondSchema: [
      `0.${'0'.repeat(scale)}1`,
      `1${fullest}`,
      `${nines(precision)}.1`,
      `1${nines(precision)}`.slice(0, -1) + '0.5',
    ],
  };
}

/** A number without a stated limit. */
export const NUMBER: FieldKind = {
  good: ['0', '-1.10', '123456789012345678901234567890.123456789', '1e3'],
  bad: NO_NUMBER,
  badBeyondSchema: ['1e999'],
};

export function int32(minimum: number, maximum: number): FieldKind {
  return {
    good: [String(minimum), String(maximum)],
    bad: [String(minimum - 1), String(maximum + 1), `${minimum}.5`, `"${minimum}"`, 'true', '[]'],
    badBeyondSchema: [`${maximum}.${'0'.repeat(20)}1`, `${minimum}.${'0'.repeat(20)}1`],
  };
}

export const BOOLEAN: FieldKind = { good: ['true', 'false'], bad: ['1', '"true"', '"Y"', '[]'] };
/** A boolean that the document also describes as 1 or 0. */
export const FLAG: FieldKind = {
  good: ['true', 'false'],
  bad: ['2', '"true"', '[]'],
  badStrictly: ['1', '0'],
};

const NO_DATE_TIME = [
  '""',
  '"yesterday"',
  '"2026-02-30T00:00:00"',
  '"2026-04-31T00:00:00"',
  '"2026-13-01T00:00:00"',
  '"2026-00-01T00:00:00"',
  '"2026-03-05T24:00:00"',
  '"2026-03-05T23:60:00"',
  '"2026-03-05 00:00:00"',
  '"2026-3-5T00:00:00"',
  '"0000-01-01T00:00:00"',
  '20260305',
  '[]',
];
const COMMON_YEAR = ['"2026-02-29T00:00:00"', '"2100-02-29T00:00:00"'];

/** `yyyy-MM-ddTHH:mm:ss`; only the `good` of them go with the rest of the record. */
export function dateTime(good = ['"2024-02-29T23:59:59"', '"2026-03-05T00:00:00"']): FieldKind {
  const bad = [
    '"2026-03-05"',
    '"2026-03-05T00:00:00Z"',
    '"2026-03-05T00:00:00+08:00"',
    '"2026-03-05T00:00:00.000"',
  ];
  return { good, bad: [...NO_DATE_TIME, ...bad], badBeyondSchema: COMMON_YEAR };
}

/** `yyyy-MM-ddTHH:mm:ss.fff` */
export const DATE_TIME_MILLISECONDS: FieldKind = {
  good: ['"2024-02-29T23:59:59.999"', '"2026-03-05T00:00:00.000"'],
  bad: [...NO_DATE_TIME, '"2026-03-05T00:00:00"', '"2026-03-05T00:00:00.00"', '"2026-03-05T00:00:00.0000"'],
  badBeyondSchema: ['"2026-02-29T00:00:00.000"'],
};

/** A date-time for which the document gives no pattern. */
export const OPEN_DATE_TIME: FieldKind = {
  good: ['"2024-02-29T23:59:59"', '"2026-03-05T12:34:56.5"'],
  bad: NO_DATE_TIME,
  badBeyondSchema: COMMON_YEAR,
  badStrictly: ['"2026-03-05"', '"2026-03-05T04:34:56Z"', '"2026-03-05T12:34:56+08:00"'],
};

/** `yyyy-MM-dd` */
export const DATE: FieldKind = {
  good: ['"2024-02-29"', '"2026-03-12"'],
  bad: [
    '""',
    '"2026-02-30"',
    '"2026-02-29"',
    '"2026-13-01"',
    '"12/03/2026"',
    '"2026-3-12"',
    '20260312',
    '[]',
  ],
  badStrictly: ['"2026-03-12T00:00:00"'],
};

/** An object whose fields have rows of their own. */
export const OBJECT: FieldKind = { good: [], bad: ['1', '"text"', '[]', 'true'] };
/** A list whose items have rows of their own. */
export const ARRAY: FieldKind = { good: ['[]'], bad: ['1', '"text"', '{}', 'true', '[null]'] };
