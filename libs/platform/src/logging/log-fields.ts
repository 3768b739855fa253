/**
 * Names that a field of a log line may have. A field of another name is left out, so that no secret and no payload gets into a log when a
 * whole object is passed.
 */
// oxfmt-ignore
const LOG_FIELDS = [
  // Any app.
  'step', 'state', 'reason', 'outcome', 'kind', 'code', 'status', 'operation', 'detail', 'count',
  'attempt', 'failures', 'err', 'context', 'urls', 'address', 'paths', 'expires', 'expiresAt', 'interface',
  'by', 'id', 'what', 'repeated', 'ms', 'limitMs', 'restMs', 'timeoutMs', 'retryInMs', 'retryAfterMs',
  'waitMs', 'deliveryMs', 'ready', 'waiting',
  // Events and their way.
  'eventId', 'eventType', 'subject', 'alert', 'sink', 'sinks', 'activity', 'budget', 'requests', 'leader',
  'resource', 'detectedAt', 'publishedAt', 'verifiedAt', 'archivedAt', 'sinceDetectedMs',
  'sinceArchivedMs', 'fencingToken',
  // The bus.
  'fqcn', 'channel', 'topic', 'did', 'sender', 'signer', 'role', 'issuer', 'decision', 'clientId',
  'messageId', 'busMessageId', 'transactionId', 'correlationId', 'messages', 'after', 'upTo', 'atLeast',
  'from', 'until', 'length', 'gateway', 'reliable', 'previous', 'adopted', 'curve', 'keccak', 'users',
  'of', 'hint',
  // The sandbox of the market.
  'scope', 'scopes', 'bound', 'graceSeconds', 'secretMade', 'fault', 'cleared', 'forSeconds', 'times', 'path', 'perMinute',
  'perFiveMinutes', 'retryAfter', 'retryAfterSeconds', 'when', 'contentLength', 'contentType', 'property', 'where', 'seconds', 'lines',
  'records', 'loaded', 'alreadyThere', 'conflicting', 'seed', 'participant', 'participants', 'published', 'expect', 'steps',
] as const;

export type LogFields = { readonly [Name in (typeof LOG_FIELDS)[number]]?: unknown };

const ALLOWED: ReadonlySet<string> = new Set(LOG_FIELDS);

const MAX_TEXT_LENGTH = 2_000;
const MAX_ITEMS = 100;
const MAX_DEPTH = 3;

/** The fields of a line that may be logged: allowed names at every depth, bounded values. */
export function allowedFields(fields: object, depth = 1): Record<string, unknown> {
  const allowed: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (!ALLOWED.has(name) || value === undefined) continue;
    allowed[name] = bounded(value, depth);
  }
  return allowed;
}

function bounded(value: unknown, depth: number): unknown {
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
      if (value instanceof Error) return describeError(value);
      if (depth >= MAX_DEPTH) return undefined;
      if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => bounded(item, depth + 1));
      return allowedFields(value, depth + 1);
    }
    default:
      return undefined;
  }
}

/** User name and password in an address. */
const CREDENTIALS = /(\w:\/\/)[^\s/@]*@/g;

const MAX_CAUSES = 5;

/** An error as a log shows it. Its other properties may hold what was received or sent, and are left out. */
function describeError(error: unknown, causes = MAX_CAUSES): unknown {
  if (!(error instanceof Error))
    return typeof error === 'object' && error !== null ? allowedFields(error) : bounded(error, 1);
  const { name, message, stack, cause } = error;
  return {
    type: name,
    message: cleaned(message),
    ...('code' in error && { code: bounded(error.code, MAX_DEPTH) }),
    stack: cleaned(stack ?? ''),
    ...(cause !== undefined && causes > 0 && { cause: describeError(cause, causes - 1) }),
    ...(error instanceof AggregateError &&
      causes > 0 && { errors: error.errors.slice(0, MAX_CAUSES).map((each) => describeError(each, 0)) }),
  };
}

function cleaned(text: string): string {
  return String(bounded(text, 1)).replace(CREDENTIALS, '$1***@');
}
