/** JSON texts for a field, valid and invalid. */
export interface FieldKind {
  /** Accepted by both variants. Includes the exact bounds. */
  readonly valid: readonly string[];
  /** Refused by both variants. */
  readonly invalid: readonly string[];
  /** Refused by both variants, for a reason that JSON Schema cannot express. */
  readonly invalidBeyondSchema?: readonly string[];
  /** Refused by the strict variant only. */
  readonly invalidStrictly?: readonly string[];
}

/** A text of `length` characters of two bytes each. */
export const long = (length: number): string => JSON.stringify('é'.repeat(length));
/** A text of `length` characters of two UTF-16 code units each. */
const longBeyondBmp = (length: number): string => JSON.stringify('😀'.repeat(length));

const NO_TEXT = ['1', 'true', '{}', '[]'];

/** A string of at most `maxLength` characters. `valid` is given when not every text is valid. */
export function text(maxLength: number, valid?: readonly string[]): FieldKind {
  const invalid = [long(maxLength + 1), longBeyondBmp(maxLength + 1), ...NO_TEXT];
  return { valid: valid ?? ['""', '"x"', long(maxLength), longBeyondBmp(maxLength)], invalid };
}

/** A string of any length. */
export const ANY_TEXT: FieldKind = { valid: ['""', '"x"', long(1000)], invalid: NO_TEXT };

/** One of a list. `valid` are those that match the rest of the record. */
export function oneOf(maxLength: number, valid: readonly string[]): FieldKind {
  const invalid = [
    '""',
    '"X"',
    ...valid.map((value) => value.toLowerCase()),
    long(maxLength + 1),
    ...NO_TEXT,
  ];
  return { valid, invalid };
}

const NO_NUMBER = ['"1.5"', '""', 'true', '{}', '[1]'];

/** decimal(p,s): at most p digits, s of them after the point. */
export function decimal(precision: number, scale: number): FieldKind {
  const nines = (count: number): string => '9'.repeat(count);
  const smallest = `0.${'0'.repeat(scale - 1)}1`;
  const largest = `${nines(precision - scale)}.${nines(scale)}`;
  return {
    valid: [
      '0',
      '-1',
      smallest,
      `-${smallest}`,
      largest,
      `-${largest}`,
      nines(precision),
      `${smallest}000`,
      '1E2',
      '1e-2',
    ],
    invalid: [...NO_NUMBER, `1${'0'.repeat(precision + 1)}`, '-1e40'],
    invalidBeyondSchema: [
      `0.${'0'.repeat(scale)}1`,
      `1${largest}`,
      `${nines(precision)}.1`,
      `1${nines(precision)}`.slice(0, -1) + '0.5',
    ],
  };
}

/** A number without a limit in the documents. */
export const NUMBER: FieldKind = {
  valid: ['0', '-1.10', '123456789012345678901234567890.123456789', '1e3'],
  invalid: NO_NUMBER,
  invalidBeyondSchema: ['1e999'],
};

export function int32(minimum: number, maximum: number): FieldKind {
  return {
    valid: [String(minimum), String(maximum)],
    invalid: [String(minimum - 1), String(maximum + 1), `${minimum}.5`, `"${minimum}"`, 'true', '[]'],
    invalidBeyondSchema: [`${maximum}.${'0'.repeat(20)}1`, `${minimum}.${'0'.repeat(20)}1`],
  };
}

export const BOOLEAN: FieldKind = { valid: ['true', 'false'], invalid: ['1', '"true"', '"Y"', '[]'] };
/** A boolean that the document also describes as 1 or 0. */
export const FLAG: FieldKind = {
  valid: ['true', 'false'],
  invalid: ['2', '"true"', '[]'],
  invalidStrictly: ['1', '0'],
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

/** `yyyy-MM-ddTHH:mm:ss`. `valid` are those that match the rest of the record. */
export function dateTime(valid = ['"2024-02-29T23:59:59"', '"2026-03-05T00:00:00"']): FieldKind {
  const invalid = [
    '"2026-03-05"',
    '"2026-03-05T00:00:00Z"',
    '"2026-03-05T00:00:00+08:00"',
    '"2026-03-05T00:00:00.000"',
  ];
  return { valid, invalid: [...NO_DATE_TIME, ...invalid], invalidBeyondSchema: COMMON_YEAR };
}

/** `yyyy-MM-ddTHH:mm:ss.fff` */
export const DATE_TIME_MILLISECONDS: FieldKind = {
  valid: ['"2024-02-29T23:59:59.999"', '"2026-03-05T00:00:00.000"'],
  invalid: [
    ...NO_DATE_TIME,
    '"2026-03-05T00:00:00"',
    '"2026-03-05T00:00:00.00"',
    '"2026-03-05T00:00:00.0000"',
  ],
  invalidBeyondSchema: ['"2026-02-29T00:00:00.000"'],
};

/** A date-time for which the document gives no pattern. */
export const OPEN_DATE_TIME: FieldKind = {
  valid: ['"2024-02-29T23:59:59"', '"2026-03-05T12:34:56.5"'],
  invalid: NO_DATE_TIME,
  invalidBeyondSchema: COMMON_YEAR,
  invalidStrictly: ['"2026-03-05"', '"2026-03-05T04:34:56Z"', '"2026-03-05T12:34:56+08:00"'],
};

/** `yyyy-MM-dd` */
export const DATE: FieldKind = {
  valid: ['"2024-02-29"', '"2026-03-12"'],
  invalid: [
    '""',
    '"2026-02-30"',
    '"2026-02-29"',
    '"2026-13-01"',
    '"12/03/2026"',
    '"2026-3-12"',
    '20260312',
    '[]',
  ],
  invalidStrictly: ['"2026-03-12T00:00:00"'],
};

/** An object. Its fields have their own rows. */
export const OBJECT: FieldKind = { valid: [], invalid: ['1', '"text"', '[]', 'true'] };
/** A list. Its items have their own rows. */
export const ARRAY: FieldKind = { valid: ['[]'], invalid: ['1', '"text"', '{}', 'true', '[null]'] };
