/** The allowed field names of a log line, sorted. Other fields are left out, so that a whole object logs neither secrets nor payloads. */
// oxfmt-ignore
const LOG_FIELDS = [
  // Any app.
  'address', 'amount', 'attempt', 'author', 'by', 'bytes', 'code', 'context', 'count', 'deliveries', 'deliveryMs', 'detail', 'document', 'documents', 'err', 'expires',
  'expiresAt', 'failures', 'id', 'interface', 'intervalMs', 'kind', 'limitMs', 'managementUrl', 'mode', 'ms', 'offsetMs', 'operation', 'outcome', 'paths',
  'ready', 'reason', 'repeated', 'requestId', 'restMs', 'retryAfterMs', 'retryInMs', 'source', 'state', 'status',
  'step', 'timeoutMs', 'urls', 'waiting', 'waitMs', 'what',
  // Events.
  'activity', 'archivedAt', 'backlog', 'budget', 'change', 'deliveryKind', 'detectedAt', 'digestId', 'evaluated', 'eventId', 'eventIds', 'eventType', 'factTime', 'leader', 'marks',
  'maxMessageBytes', 'origin', 'problem', 'problemId', 'problemState', 'publishedAt', 'readerToken', 'released', 'requests', 'resource', 'severity', 'sha256', 'sinceArchivedMs', 'sinceDetectedMs', 'sink', 'sinks',
  'subject', 'termToken', 'verifiedAt', 'withheld',
  // The bus.
  'adopted', 'after', 'atLeast', 'channel', 'clientId', 'correlationId', 'curve', 'decision',
  'did', 'explicitAck', 'from', 'gateway', 'hint', 'issuer', 'keccak', 'length', 'messageId', 'messages', 'of',
  'previous', 'role', 'sender', 'signer', 'topic', 'transactionId', 'until', 'upTo', 'users',
  // The market sandbox.
  'alreadyThere', 'bound', 'cleared', 'conflicting', 'contentLength', 'contentType', 'expect', 'fault',
  'forSeconds', 'graceSeconds', 'lines', 'loaded', 'participant', 'participants', 'path', 'perFiveMinutes',
  'perMinute', 'property', 'published', 'records', 'retryAfter', 'retryAfterSeconds', 'scope', 'scopes',
  'seconds', 'secretMade', 'seed', 'steps', 'times', 'when', 'where',
] as const;

export type LogFields = { readonly [Name in (typeof LOG_FIELDS)[number]]?: unknown };

const ALLOWED: ReadonlySet<string> = new Set(LOG_FIELDS);

const MAX_TEXT_LENGTH = 2_000;
const MAX_ITEMS = 100;
const MAX_DEPTH = 3;

/** Keeps the allowed fields of an object, at every depth, and bounds their values. */
export function filterLogFields(fields: object, depth = 1): Record<string, unknown> {
  const allowed: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (!ALLOWED.has(name) || value === undefined) continue;
    allowed[name] = boundValue(value, depth);
  }
  return allowed;
}

function boundValue(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case 'string':
      return value.length > MAX_TEXT_LENGTH ? `${value.slice(0, MAX_TEXT_LENGTH)}…` : value;
    case 'number':
    case 'boolean':
      return value;
    case 'bigint':
      return String(value);
    case 'object': {
      if (value === null || value instanceof Date) return value;
      if (value instanceof Error) return toLoggedError(value);
      if (depth >= MAX_DEPTH) return undefined;
      if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => boundValue(item, depth + 1));
      return filterLogFields(value, depth + 1);
    }
    default:
      return undefined;
  }
}

/** User name and password in a URL. */
const CREDENTIALS = /(\w:\/\/)[^\s/@]*@/g;

const MAX_CAUSES = 5;

/** An error as a log shows it. Its other properties are left out, as they may hold what was received or sent. */
function toLoggedError(error: unknown, causes = MAX_CAUSES): unknown {
  if (!(error instanceof Error))
    return typeof error === 'object' && error !== null ? filterLogFields(error) : boundValue(error, 1);
  const { name, message, stack, cause } = error;
  return {
    type: name,
    message: withoutCredentials(message),
    ...('code' in error && { code: boundValue(error.code, MAX_DEPTH) }),
    ...(!showsOwnCause(error) && { stack: withoutCredentials(stack ?? '') }),
    ...(cause !== undefined && causes > 0 && { cause: toLoggedError(cause, causes - 1) }),
    ...(error instanceof AggregateError &&
      causes > 0 && { errors: error.errors.slice(0, MAX_CAUSES).map((each) => toLoggedError(each, 0)) }),
  };
}

/** The stack of a system call, or of a response of Redis, only shows the internals of Node or of the client. */
function showsOwnCause(error: Error): boolean {
  return 'syscall' in error || error.name === 'ReplyError';
}

/** A bounded text without the credentials of URLs. */
export function withoutCredentials(text: string): string {
  return String(boundValue(text, 1)).replace(CREDENTIALS, '$1***@');
}
