/** What BROKER_COMPATIBILITY changes. Everything else of the contract is the same. */
export interface ContractForm {
  readonly setting: 'none' | 'dsb';
  /** 201 of `POST /message`. */
  readonly published: { readonly contentType: string; readonly text: (id: string) => string };
  /** 200 of `GET /message`: the member in the JSON text. */
  readonly time: RegExp;
  /** Of the refusals. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Members of every refusal, sorted. */
  readonly members: readonly string[];
  /** Whole refusals. */
  readonly bodies: Readonly<Record<keyof typeof ERRORS, object>>;
}

const STATUSES = {
  'BUS::INVALID_REQUEST': 400,
  'BUS::UNAUTHENTICATED': 401,
  'BUS::LOGIN_FAILED': 401,
  'BUS::CHANNEL_UNAUTHORIZED': 401,
  'BUS::FORBIDDEN_RESOURCE': 403,
  'BUS::FORBIDDEN': 403,
  'BUS::CHANNEL_NOT_FOUND': 404,
  'BUS::MESSAGE_TOO_LARGE': 413,
  'BUS::SCHEMA_MISMATCH': 422,
  'BUS::INVALID_SIGNATURE': 422,
  'BUS::INVALID_SCHEMA': 422,
  'BUS::UNHEALTHY': 503,
};

const ERRORS = {
  withoutToken: { err: { code: 'BUS::UNAUTHENTICATED', reason: 'A bearer token is required.' } },
  unknownChannel: {
    err: {
      code: 'BUS::CHANNEL_NOT_FOUND',
      reason: 'The channel x does not exist.',
      additionalInformation: { fqcn: 'x' },
    },
  },
  tooLarge: {
    err: {
      code: 'BUS::MESSAGE_TOO_LARGE',
      reason: 'The payload has 5 bytes; the channel takes 4.',
      additionalInformation: { size: 5, limit: 4 },
    },
  },
};

export const CONTRACT_FORMS: readonly ContractForm[] = [
  {
    setting: 'none',
    published: { contentType: 'application/json; charset=utf-8', text: (id) => `{"id":"${id}"}` },
    time: /"timestampNanos":"\d{19}"/,
    statuses: STATUSES,
    members: ['err'],
    bodies: ERRORS,
  },
  {
    setting: 'dsb',
    published: { contentType: 'text/plain; charset=utf-8', text: (id) => id },
    time: /"timestampNanos":\d{19}[,}]/,
    statuses: {
      ...STATUSES,
      'BUS::MESSAGE_TOO_LARGE': 400,
      'BUS::SCHEMA_MISMATCH': 400,
      'BUS::INVALID_SIGNATURE': 400,
      'BUS::INVALID_SCHEMA': 400,
    },
    members: ['err', 'message', 'statusCode'],
    bodies: {
      withoutToken: { statusCode: 401, message: 'Unauthorized', ...ERRORS.withoutToken },
      unknownChannel: { statusCode: 404, message: 'The channel x does not exist.', ...ERRORS.unknownChannel },
      tooLarge: {
        statusCode: 400,
        message: ['The payload has 5 bytes; the channel takes 4.', { size: 5, limit: 4 }],
        ...ERRORS.tooLarge,
      },
    },
  },
];
