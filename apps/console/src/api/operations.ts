// Written by npm run docs from apps/api/openapi.json.

/** The operations of the archive API, by method and path. */

export interface Operations {
  'GET /v1/audit': {
    readonly query: {
      readonly limit?: number;
      readonly cursor?: string;
      readonly kind?: readonly string[];
      readonly author?: readonly string[];
      readonly since?: string;
      readonly until?: string;
    };
    readonly body: undefined;
    readonly response: { readonly items: readonly AuditRow[]; readonly next?: string };
  };
  'GET /v1/backfills': {
    readonly query: { readonly limit?: number; readonly cursor?: string };
    readonly body: undefined;
    readonly response: { readonly items: readonly BackfillRow[]; readonly next?: string };
  };
  'POST /v1/backfills': {
    readonly query: Readonly<Record<string, never>>;
    readonly body: StartBackfillBody;
    readonly response: StartedBackfill;
  };
  'GET /v1/backfills/{participant}': {
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly response: BackfillRow;
  };
  'GET /v1/backfills/{participant}/events': {
    readonly query: { readonly limit?: number; readonly cursor?: string };
    readonly body: undefined;
    readonly response: { readonly items: readonly ListedEvent[]; readonly next?: string };
  };
  'POST /v1/backfills/{participant}/cancel': {
    readonly query: Readonly<Record<string, never>>;
    readonly body: OptionalComment;
    readonly response: BackfillRow;
  };
  'GET /v1/caller': {
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly response: CallerAccess;
  };
  'GET /v1/dead-letters': {
    readonly query: { readonly limit?: number; readonly cursor?: string };
    readonly body: undefined;
    readonly response: { readonly items: readonly DeadLetterRow[]; readonly next?: string };
  };
  'GET /v1/dead-letters/{id}': {
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly response: DeadLetter;
  };
  'POST /v1/dead-letters/retry': {
    readonly query: Readonly<Record<string, never>>;
    readonly body: RetryPageBody;
    readonly response: RetriedPage;
  };
  'POST /v1/dead-letters/{id}/retry': {
    readonly query: Readonly<Record<string, never>>;
    readonly body: RetryBody;
    readonly response: RetriedLetter;
  };
  'POST /v1/dead-letters/{id}/remove': {
    readonly query: Readonly<Record<string, never>>;
    readonly body: OptionalComment;
    readonly response: DeadLetterRow;
  };
  'GET /v1/deliveries': {
    readonly query: {
      readonly limit?: number;
      readonly cursor?: string;
      readonly sink?: readonly string[];
      readonly state?: readonly ('parked' | 'pending' | 'skipped' | 'withheld' | 'replaced' | 'delivered')[];
      readonly kind?: readonly ('alert' | 'reminder' | 'escalation' | 'resolved' | 'notice')[];
      readonly type?: readonly string[];
      readonly participant?: readonly string[];
      readonly problem?: string;
      readonly event?: string;
      readonly since?: string;
      readonly until?: string;
    };
    readonly body: undefined;
    readonly response: { readonly items: readonly DeliveryRow[]; readonly next?: string };
  };
  'GET /v1/deliveries/{eventId}/{sink}': {
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly response: DeliveryDetail;
  };
  'POST /v1/deliveries/resend': {
    readonly query: { readonly wait?: number };
    readonly body: ResendRequest;
    readonly response: RequestRow;
  };
  'POST /v1/deliveries/skip': {
    readonly query: { readonly wait?: number };
    readonly body: SkipRequest;
    readonly response: RequestRow;
  };
  'POST /v1/replay': {
    readonly query: { readonly wait?: number };
    readonly body: ReplayRequest;
    readonly response: RequestRow;
  };
  'GET /v1/requests': {
    readonly query: {
      readonly limit?: number;
      readonly cursor?: string;
      readonly state?: readonly ('waiting' | 'running' | 'done' | 'refused' | 'failed')[];
      readonly author?: string;
    };
    readonly body: undefined;
    readonly response: { readonly items: readonly RequestRow[]; readonly next?: string };
  };
  'GET /v1/requests/{id}': {
    readonly query: { readonly wait?: number };
    readonly body: undefined;
    readonly response: RequestDetail;
  };
  'GET /v1/documents': {
    readonly query: {
      readonly limit?: number;
      readonly cursor?: string;
      readonly participant?: readonly string[];
      readonly market?: readonly ('WEM' | 'NSTEM' | 'STEM')[];
      readonly invoice?: string;
      readonly since?: string;
      readonly until?: string;
    };
    readonly body: undefined;
    readonly response: { readonly items: readonly DocumentRow[]; readonly next?: string };
  };
  'GET /v1/documents/{id}': {
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly response: DocumentRow;
  };
  'GET /v1/documents/{id}/content': {
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly response: string;
  };
  'GET /v1/events': {
    readonly query: {
      readonly type?: readonly string[];
      readonly participant?: readonly string[];
      readonly severity?: readonly ('info' | 'warning' | 'critical')[];
      readonly subject?: string;
      readonly since?: string;
      readonly until?: string;
      readonly limit?: number;
      readonly cursor?: string;
    };
    readonly body: undefined;
    readonly response: { readonly items: readonly EventRow[]; readonly next?: string };
  };
  'GET /v1/events/stream': {
    readonly query: {
      readonly type?: readonly string[];
      readonly participant?: readonly string[];
      readonly severity?: readonly ('info' | 'warning' | 'critical')[];
      readonly subject?: string;
      readonly since?: string;
      readonly until?: string;
      readonly after?: string;
    };
    readonly body: undefined;
    readonly response: string;
  };
  'GET /v1/events/{id}': {
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly response: EventDetail;
  };
  'GET /schemas/{type}': {
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly response: string;
  };
  'GET /v1/events/{id}/evidence': {
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly response: Evidence;
  };
  'GET /v1/trusted-keys': {
    readonly query: { readonly limit?: number; readonly cursor?: string };
    readonly body: undefined;
    readonly response: { readonly items: readonly TrustedKeyRow[]; readonly next?: string };
  };
  'GET /v1/open-items': {
    readonly query: {
      readonly limit?: number;
      readonly cursor?: string;
      readonly participant?: readonly string[];
      readonly market?: readonly ('WEM' | 'NSTEM' | 'STEM')[];
      readonly kind?: readonly ('unknown' | 'statement' | 'invoice' | 'document' | 'calculation')[];
    };
    readonly body: undefined;
    readonly response: { readonly items: readonly OpenItemRow[]; readonly next?: string };
  };
  'GET /v1/problems': {
    readonly query: {
      readonly limit?: number;
      readonly cursor?: string;
      readonly state?: readonly ('open' | 'acknowledged' | 'resolved' | 'closed')[];
      readonly kind?: readonly (
        | 'margin'
        | 'credit-support'
        | 'breach-forecast'
        | 'statement-overdue'
        | 'disagreement'
        | 'invoice-overdue'
        | 'invoice-discrepancy'
        | 'position-stale'
        | 'operator-unreachable'
        | 'bridge-fault'
      )[];
      readonly severity?: readonly ('info' | 'warning' | 'critical')[];
      readonly participant?: readonly string[];
      readonly since?: string;
    };
    readonly body: undefined;
    readonly response: { readonly items: readonly ProblemRow[]; readonly next?: string };
  };
  'GET /v1/problems/{id}': {
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly response: ProblemDetail;
  };
  'POST /v1/problems/rebuild': {
    readonly query: { readonly wait?: number };
    readonly body: OptionalComment;
    readonly response: RequestRow;
  };
  'POST /v1/problems/{id}/acknowledge': {
    readonly query: { readonly wait?: number };
    readonly body: OptionalComment;
    readonly response: RequestRow;
  };
  'POST /v1/problems/{id}/close': {
    readonly query: { readonly wait?: number };
    readonly body: RequiredComment;
    readonly response: RequestRow;
  };
  'GET /v1/silences': {
    readonly query: {
      readonly limit?: number;
      readonly cursor?: string;
      readonly all?: boolean;
      readonly at?: string;
    };
    readonly body: undefined;
    readonly response: { readonly items: readonly SilenceRow[]; readonly next?: string };
  };
  'POST /v1/silences': {
    readonly query: { readonly wait?: number };
    readonly body: NewSilence;
    readonly response: RequestRow;
  };
  'GET /v1/silences/{id}': {
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly response: SilenceRow;
  };
  'POST /v1/silences/{id}/end': {
    readonly query: { readonly wait?: number };
    readonly body: OptionalComment;
    readonly response: RequestRow;
  };
  'GET /v1/quarantine': {
    readonly query: {
      readonly limit?: number;
      readonly cursor?: string;
      readonly reason?: readonly string[];
      readonly channel?: readonly string[];
      readonly state?: readonly ('open' | 'released')[];
    };
    readonly body: undefined;
    readonly response: { readonly items: readonly QuarantineRow[]; readonly next?: string };
  };
  'GET /v1/quarantine/{id}': {
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly response: QuarantineDetail;
  };
  'POST /v1/quarantine/recheck': {
    readonly query: { readonly wait?: number };
    readonly body: OptionalComment;
    readonly response: RequestRow;
  };
  'GET /v1/sinks': {
    readonly query: { readonly limit?: number; readonly cursor?: string };
    readonly body: undefined;
    readonly response: { readonly items: readonly SinkRow[]; readonly next?: string };
  };
  'POST /v1/sinks/{name}/test': {
    readonly query: { readonly wait?: number };
    readonly body: OptionalComment;
    readonly response: RequestRow;
  };
  'POST /v1/sinks/{name}/enable': {
    readonly query: { readonly wait?: number };
    readonly body: OptionalComment;
    readonly response: RequestRow;
  };
  'POST /v1/sinks/{name}/disable': {
    readonly query: { readonly wait?: number };
    readonly body: RequiredComment;
    readonly response: RequestRow;
  };
  'GET /v1/status': {
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly response: Status;
  };
  'GET /v1/positions': {
    readonly query: {
      readonly limit?: number;
      readonly cursor?: string;
      readonly participant?: readonly string[];
      readonly since?: string;
      readonly until?: string;
      readonly points?: number;
    };
    readonly body: undefined;
    readonly response: { readonly items: readonly ParticipantPosition[]; readonly next?: string };
  };
  'GET /v1/settlement-calendar': {
    readonly query: {
      readonly limit?: number;
      readonly cursor?: string;
      readonly participant?: readonly string[];
      readonly market?: readonly ('WEM' | 'NSTEM' | 'STEM')[];
      readonly status?: readonly (
        | 'expected'
        | 'overdue'
        | 'published'
        | 'revised'
        | 'invoiced'
        | 'removed'
      )[];
      readonly by?: 'statement' | 'published' | 'invoice' | 'payment';
      readonly order?: 'date' | 'published';
      readonly since?: string;
      readonly until?: string;
    };
    readonly body: undefined;
    readonly response: { readonly items: readonly CalendarRow[]; readonly next?: string };
  };
  'GET /v1/statements/{id}': {
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly response: StatementDetail;
  };
  'GET /v1/statements/{id}/differences': {
    readonly query: { readonly limit?: number; readonly cursor?: string; readonly against?: string };
    readonly body: undefined;
    readonly response: DifferencesPage;
  };
  'GET /v1/invoices': {
    readonly query: {
      readonly limit?: number;
      readonly cursor?: string;
      readonly participant?: readonly string[];
      readonly market?: readonly ('WEM' | 'NSTEM' | 'STEM')[];
      readonly status?: readonly ('issued' | 'adjusted' | 'reversed' | 'due' | 'overdue')[];
      readonly dueSince?: string;
      readonly dueUntil?: string;
      readonly order?: 'due' | 'published';
    };
    readonly body: undefined;
    readonly response: { readonly items: readonly InvoiceRow[]; readonly next?: string };
  };
  'GET /v1/payments': {
    readonly query: {
      readonly limit?: number;
      readonly cursor?: string;
      readonly participant?: readonly string[];
      readonly market?: readonly ('WEM' | 'NSTEM' | 'STEM')[];
      readonly dueSince?: string;
      readonly dueUntil?: string;
    };
    readonly body: undefined;
    readonly response: PaymentsPage;
  };
}

/** The values of query parameters that have fixed ones, by path. */

export const CHOICES = {
  '/v1/deliveries': {
    state: ['parked', 'pending', 'skipped', 'withheld', 'replaced', 'delivered'],
    kind: ['alert', 'reminder', 'escalation', 'resolved', 'notice'],
  },
  '/v1/requests': { state: ['waiting', 'running', 'done', 'refused', 'failed'] },
  '/v1/documents': { market: ['WEM', 'NSTEM', 'STEM'] },
  '/v1/events': { severity: ['info', 'warning', 'critical'] },
  '/v1/events/stream': { severity: ['info', 'warning', 'critical'] },
  '/v1/open-items': {
    market: ['WEM', 'NSTEM', 'STEM'],
    kind: ['unknown', 'statement', 'invoice', 'document', 'calculation'],
  },
  '/v1/problems': {
    state: ['open', 'acknowledged', 'resolved', 'closed'],
    kind: [
      'margin',
      'credit-support',
      'breach-forecast',
      'statement-overdue',
      'disagreement',
      'invoice-overdue',
      'invoice-discrepancy',
      'position-stale',
      'operator-unreachable',
      'bridge-fault',
    ],
    severity: ['info', 'warning', 'critical'],
  },
  '/v1/quarantine': { state: ['open', 'released'] },
  '/v1/settlement-calendar': {
    market: ['WEM', 'NSTEM', 'STEM'],
    status: ['expected', 'overdue', 'published', 'revised', 'invoiced', 'removed'],
    by: ['statement', 'published', 'invoice', 'payment'],
    order: ['date', 'published'],
  },
  '/v1/invoices': {
    market: ['WEM', 'NSTEM', 'STEM'],
    status: ['issued', 'adjusted', 'reversed', 'due', 'overdue'],
    order: ['due', 'published'],
  },
  '/v1/payments': { market: ['WEM', 'NSTEM', 'STEM'] },
} as const;

export interface ParameterFault {
  readonly path: string;
  readonly message: string;
}

export interface ProblemDetails {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail?: string;
  readonly faults?: readonly ParameterFault[];
  readonly request?: string;
}

export interface AuditRow {
  readonly id: string;
  readonly at: string;
  readonly kind: string;
  readonly step: 'requested' | 'done' | 'refused' | 'failed' | 'unknown';
  readonly author: string;
  readonly comment?: string;
  readonly databaseRole: string;
  readonly requestId?: string;
  readonly actionId?: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
}

export interface BackfilledType {
  readonly type: string;
  readonly events: number;
}

export interface BackfillFailure {
  readonly what: string;
  readonly reason: string;
}

export interface BackfillRow {
  readonly participant: string;
  readonly from: string;
  readonly to: string;
  readonly dryRun: boolean;
  readonly state: 'requested' | 'running' | 'paused' | 'done';
  readonly stepsDone: number;
  readonly stepsTotal?: number;
  readonly events: number;
  readonly types: readonly BackfilledType[];
  readonly failureCount: number;
  readonly failures: readonly BackfillFailure[];
  readonly waitingFor?: string;
  readonly startedAt?: string;
  readonly updatedAt?: string;
}

export interface ListedEvent {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly time: string;
}

export interface StartBackfillBody {
  readonly comment?: string;
  readonly participant: string;
  readonly from: string;
  readonly to?: string;
  readonly dryRun?: boolean;
}

export interface StartedBackfill {
  readonly outcome: 'started' | 'continued';
  readonly backfill: BackfillRow;
}

export interface OptionalComment {
  readonly comment?: string;
}

export interface CallerAccess {
  readonly name: string;
  readonly role: 'viewer' | 'operator';
  readonly allParticipants: boolean;
  readonly participants?: readonly string[];
  readonly expiresAt?: string;
  readonly credentials?: 'session' | 'token' | 'certificate';
}

export interface DeadLetterRow {
  readonly id: string;
  readonly verified: boolean;
  readonly type?: string;
  readonly participant?: string;
  readonly subject?: string;
  readonly reason: string;
  readonly cause?: string;
  readonly deadLetteredAt: string;
  readonly retriedAt?: string;
}

export interface DeadLetter {
  readonly id: string;
  readonly verified: boolean;
  readonly type?: string;
  readonly participant?: string;
  readonly subject?: string;
  readonly reason: string;
  readonly cause?: string;
  readonly deadLetteredAt: string;
  readonly retriedAt?: string;
  readonly event?: Readonly<Record<string, unknown>>;
  readonly eventBytes: number;
}

export interface RetryPageBody {
  readonly comment?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

export interface RetriedLetter {
  readonly id: string;
  readonly outcome: 'queued' | 'already-queued' | 'already-published' | 'not-found' | 'refused';
  readonly reason?: string;
}

export interface RetriedPage {
  readonly items: readonly RetriedLetter[];
  readonly next?: string;
}

export interface RetryBody {
  readonly comment?: string;
  readonly unverified?: boolean;
}

export interface DeliveryRow {
  readonly eventId: string;
  readonly aboutEventId?: string;
  readonly sink: string;
  readonly state: 'parked' | 'pending' | 'skipped' | 'withheld' | 'replaced' | 'delivered';
  readonly kind: 'alert' | 'reminder' | 'escalation' | 'resolved' | 'notice';
  readonly severity: string;
  readonly type: string;
  readonly subject: string;
  readonly participant: string;
  readonly archivedAt?: string;
  readonly addedAt: string;
  readonly attempts: number;
  readonly lastOutcome?: string;
  readonly endedAt?: string;
  readonly nextAttemptAt?: string;
  readonly problemId?: string;
  readonly replayed: boolean;
  readonly withheld?: 'muted' | 'silenced' | 'min-interval' | 'grouped';
  readonly replacedBy?: string;
  readonly digestId?: string;
}

export interface AttemptRow {
  readonly number: number;
  readonly at: string;
  readonly durationMs: number;
  readonly outcome: string;
  readonly status?: number;
  readonly response?: string;
  readonly error?: string;
}

export interface DeliveryDetail {
  readonly eventId: string;
  readonly aboutEventId?: string;
  readonly sink: string;
  readonly state: 'parked' | 'pending' | 'skipped' | 'withheld' | 'replaced' | 'delivered';
  readonly kind: 'alert' | 'reminder' | 'escalation' | 'resolved' | 'notice';
  readonly severity: string;
  readonly type: string;
  readonly subject: string;
  readonly participant: string;
  readonly archivedAt?: string;
  readonly addedAt: string;
  readonly attempts: number;
  readonly lastOutcome?: string;
  readonly endedAt?: string;
  readonly nextAttemptAt?: string;
  readonly problemId?: string;
  readonly replayed: boolean;
  readonly withheld?: 'muted' | 'silenced' | 'min-interval' | 'grouped';
  readonly replacedBy?: string;
  readonly digestId?: string;
  readonly resentAt?: string;
  readonly digestEvents?: readonly string[];
  readonly attemptLog: readonly AttemptRow[];
  readonly hasEarlierAttempts: boolean;
}

export interface ResendRequest {
  readonly comment?: string;
  readonly types?: readonly string[];
  readonly participants?: readonly string[];
  readonly events?: readonly string[];
  readonly sink?: string;
  readonly since?: string;
  readonly until?: string;
  readonly states?: readonly ('parked' | 'delivered' | 'replaced' | 'skipped' | 'withheld')[];
}

export interface RequestRow {
  readonly id: string;
  readonly kind: string;
  readonly state: 'waiting' | 'running' | 'done' | 'refused' | 'failed';
  readonly requestedAt: string;
  readonly endedAt?: string;
  readonly author: string;
  readonly comment?: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly progress?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
}

export interface SkipRequest {
  readonly comment?: string;
  readonly types?: readonly string[];
  readonly participants?: readonly string[];
  readonly events?: readonly string[];
  readonly sink?: string;
  readonly since?: string;
  readonly until?: string;
  readonly states?: readonly ('pending' | 'parked')[];
}

export interface ReplayRequest {
  readonly comment?: string;
  readonly types?: readonly string[];
  readonly participants?: readonly string[];
  readonly sink: string;
  readonly since: string;
  readonly until?: string;
}

export interface AuditedStep {
  readonly at: string;
  readonly step: string;
  readonly author: string;
  readonly databaseRole: string;
  readonly result?: Readonly<Record<string, unknown>>;
}

export interface RequestDetail {
  readonly id: string;
  readonly kind: string;
  readonly state: 'waiting' | 'running' | 'done' | 'refused' | 'failed';
  readonly requestedAt: string;
  readonly endedAt?: string;
  readonly author: string;
  readonly comment?: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly progress?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly subscriberRuns: boolean;
  readonly steps: readonly AuditedStep[];
}

export interface DocumentRow {
  readonly id: string;
  readonly participant: string;
  readonly market: string;
  readonly periodFrom: string;
  readonly designation: string;
  readonly invoice: string;
  readonly digest: string;
  readonly mediaType: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly storedAt: string;
}

export interface EventRow {
  readonly id: string;
  readonly type: string;
  readonly participant: string;
  readonly subject: string;
  readonly severity: 'info' | 'warning' | 'critical';
  readonly time: string;
  readonly archivedAt: string;
  readonly marks: readonly ('late' | 'clockSkew' | 'local')[];
  readonly figures: Readonly<Record<string, unknown>>;
}

export interface BusMessage {
  readonly id: string;
  readonly channel: string;
  readonly topic: string;
  readonly sender: string;
  readonly signature: string;
  readonly timestampNanos: string;
  readonly appendedAt?: string;
}

export interface Signer {
  readonly did: string;
  readonly trusted: boolean;
  readonly trustedFrom?: string;
  readonly trustedUntil?: string;
  readonly participants?: readonly string[];
  readonly revokedSince?: string;
}

export interface MarkMeaning {
  readonly mark: string;
  readonly meaning: string;
}

export interface Verdict {
  readonly signed: boolean;
  readonly gateway?: Signer;
  readonly origin?: Signer;
  readonly marks: readonly MarkMeaning[];
}

export interface EventProblem {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly change: string;
}

export interface EventDetail {
  readonly id: string;
  readonly type: string;
  readonly participant: string;
  readonly subject: string;
  readonly severity: 'info' | 'warning' | 'critical';
  readonly time: string;
  readonly archivedAt: string;
  readonly marks: readonly ('late' | 'clockSkew' | 'local')[];
  readonly figures: Readonly<Record<string, unknown>>;
  readonly event: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly message?: BusMessage;
  readonly verdict: Verdict;
  readonly problems: readonly EventProblem[];
  readonly deliveries: readonly DeliveryDetail[];
  readonly moreDeliveries: boolean;
  readonly deliveriesAddress: string;
}

export interface EvidenceArchived {
  readonly at: string;
  readonly marks: readonly string[];
}

export interface EvidenceDelivery {
  readonly eventId: string;
  readonly sink: string;
  readonly kind: string;
  readonly severity: string;
  readonly state: string;
  readonly addedAt: string;
  readonly deliveredAt?: string;
  readonly problemId?: string;
  readonly attempts: readonly AttemptRow[];
}

export interface EvidenceMessage {
  readonly id: string;
  readonly fqcn: string;
  readonly topic: string;
  readonly payload: string;
  readonly signature: string;
  readonly sender: string;
  readonly timestampNanos: string;
}

export interface EvidenceSigner {
  readonly did: string;
  readonly publicKey: string;
}

export interface TrustedGateway {
  readonly did: string;
  readonly from?: string;
  readonly until?: string;
  readonly revoked?: string;
}

export interface TrustedOrigin {
  readonly did: string;
  readonly from?: string;
  readonly until?: string;
  readonly revoked?: string;
  readonly participants: readonly string[];
}

export interface TrustedSenders {
  readonly gateways: readonly TrustedGateway[];
  readonly origins: readonly TrustedOrigin[];
}

export interface Evidence {
  readonly version: number;
  readonly exportedAt: string;
  readonly eventId: string;
  readonly event: Readonly<Record<string, unknown>>;
  readonly archived: EvidenceArchived;
  readonly problemIds: readonly string[];
  readonly deliveries: readonly EvidenceDelivery[];
  readonly signatureScheme?: 'eip191' | 'keccak256';
  readonly message?: EvidenceMessage;
  readonly gateway?: EvidenceSigner;
  readonly origin?: EvidenceSigner;
  readonly trusted?: TrustedSenders;
  readonly unsigned?: boolean;
  readonly digest: string;
}

export interface TrustedKeyRow {
  readonly did: string;
  readonly from?: string;
  readonly until?: string;
  readonly revoked?: string;
  readonly channel: string;
  readonly role: 'gateway' | 'origin';
  readonly participants: readonly string[];
}

export interface OpenItemRow {
  readonly participant: string;
  readonly kind: 'unknown' | 'statement' | 'invoice' | 'document' | 'calculation';
  readonly interface?: 'settlement' | 'prudential';
  readonly market?: string;
  readonly periodFrom?: string;
  readonly designation?: string;
  readonly period?: string;
  readonly invoiceNumber?: string;
  readonly expectedOn?: string;
  readonly since?: string;
  readonly overdueSince?: string;
  readonly checkedAt?: string;
  readonly detail?: string;
}

export interface ProblemRow {
  readonly id: string;
  readonly kind:
    | 'margin'
    | 'credit-support'
    | 'breach-forecast'
    | 'statement-overdue'
    | 'disagreement'
    | 'invoice-overdue'
    | 'invoice-discrepancy'
    | 'position-stale'
    | 'operator-unreachable'
    | 'bridge-fault';
  readonly key: string;
  readonly participant: string;
  readonly state: 'open' | 'acknowledged' | 'resolved' | 'closed';
  readonly severity: 'info' | 'warning' | 'critical';
  readonly worstSeverity: 'info' | 'warning' | 'critical';
  readonly level?: 'WARNING' | 'BREACHED';
  readonly worstLevel?: 'WARNING' | 'BREACHED';
  readonly closedByPerson: boolean;
  readonly since: string;
  readonly openedAt: string;
  readonly changedAt: string;
  readonly worsened: number;
  readonly figures: Readonly<Record<string, unknown>>;
  readonly worstFigures: Readonly<Record<string, unknown>>;
  readonly worstMeasure?: string;
  readonly acknowledgedAt?: string;
  readonly acknowledgedBy?: string;
  readonly acknowledgeComment?: string;
  readonly endedAt?: string;
  readonly closedBy?: string;
  readonly closeComment?: string;
}

export interface ProblemChange {
  readonly number: number;
  readonly at: string;
  readonly kind: string;
  readonly severity: 'info' | 'warning' | 'critical';
  readonly level?: string;
  readonly figures?: Readonly<Record<string, unknown>>;
  readonly eventId?: string;
  readonly type?: string;
  readonly author?: string;
  readonly comment?: string;
  readonly requestId?: string;
}

export interface SilenceMatchers {
  readonly types?: readonly string[];
  readonly participants?: readonly string[];
  readonly severities?: readonly ('info' | 'warning' | 'critical')[];
  readonly problems?: readonly (
    | 'margin'
    | 'credit-support'
    | 'breach-forecast'
    | 'statement-overdue'
    | 'disagreement'
    | 'invoice-overdue'
    | 'invoice-discrepancy'
    | 'position-stale'
    | 'operator-unreachable'
    | 'bridge-fault'
  )[];
  readonly reasons?: readonly (
    | 'certificate-expired'
    | 'certificate-refused'
    | 'token-refused'
    | 'credentials-unusable'
    | 'operator-response-unusable'
    | 'calculation-in-future'
    | 'facts-left-out'
    | 'poll-overdue'
    | 'operator-throttles'
    | 'queue-unavailable'
    | 'dead-letter'
    | 'job-authentication-failed'
    | 'state-authentication-failed'
    | 'gateway-unreachable'
    | 'gateway-credentials-refused'
    | 'gateway-not-enrolled'
    | 'channel-not-permitted'
    | 'message-quarantined'
    | 'quarantine-full'
    | 'message-not-storable'
    | 'archive-authentication-failed'
    | 'retention-gap'
    | 'catch-up-failing'
    | 'client-superseded'
    | 'heartbeat-missing'
    | 'subscriber-silent'
    | 'operator-data-old'
    | 'sink-failing'
    | 'delivery-refused'
    | 'sink-disabled'
    | 'database-unavailable'
    | 'configuration-refused'
    | 'alerts-held-back'
    | 'replicas-differ'
    | 'clock-offset'
  )[];
}

export interface SilenceRow {
  readonly id: string;
  readonly state: 'scheduled' | 'active' | 'ended';
  readonly matchers: SilenceMatchers;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly author: string;
  readonly comment: string;
  readonly endedBy?: string;
  readonly endComment?: string;
  readonly hides: readonly string[];
  readonly hidesMore: boolean;
}

export interface ProblemDelivery {
  readonly eventId: string;
  readonly sink: string;
  readonly state: string;
  readonly kind: string;
  readonly severity: 'info' | 'warning' | 'critical';
  readonly addedAt: string;
  readonly attempts: number;
  readonly lastOutcome?: string;
  readonly acceptedAt?: string;
  readonly nextAttemptAt?: string;
  readonly withheld?: string;
}

export interface ProblemDetail {
  readonly id: string;
  readonly kind:
    | 'margin'
    | 'credit-support'
    | 'breach-forecast'
    | 'statement-overdue'
    | 'disagreement'
    | 'invoice-overdue'
    | 'invoice-discrepancy'
    | 'position-stale'
    | 'operator-unreachable'
    | 'bridge-fault';
  readonly key: string;
  readonly participant: string;
  readonly state: 'open' | 'acknowledged' | 'resolved' | 'closed';
  readonly severity: 'info' | 'warning' | 'critical';
  readonly worstSeverity: 'info' | 'warning' | 'critical';
  readonly level?: 'WARNING' | 'BREACHED';
  readonly worstLevel?: 'WARNING' | 'BREACHED';
  readonly closedByPerson: boolean;
  readonly since: string;
  readonly openedAt: string;
  readonly changedAt: string;
  readonly worsened: number;
  readonly figures: Readonly<Record<string, unknown>>;
  readonly worstFigures: Readonly<Record<string, unknown>>;
  readonly worstMeasure?: string;
  readonly acknowledgedAt?: string;
  readonly acknowledgedBy?: string;
  readonly acknowledgeComment?: string;
  readonly endedAt?: string;
  readonly closedBy?: string;
  readonly closeComment?: string;
  readonly changes: readonly ProblemChange[];
  readonly moreChanges: boolean;
  readonly silences: readonly SilenceRow[];
  readonly deliveries: readonly ProblemDelivery[];
  readonly moreDeliveries: boolean;
  readonly deliveriesAddress: string;
}

export interface RequiredComment {
  readonly comment: string;
}

export interface NewSilence {
  readonly comment: string;
  readonly matchers: SilenceMatchers;
  readonly startsAt?: string;
  readonly endsAt?: string;
  readonly for?: string;
}

export interface QuarantineRow {
  readonly id: string;
  readonly state: 'open' | 'released';
  readonly reason: string;
  readonly detail: string;
  readonly channel: string;
  readonly messageId: string;
  readonly topic?: string;
  readonly sender: string;
  readonly trusted: boolean;
  readonly payloadBytes: number;
  readonly appendedAt?: string;
  readonly quarantinedAt: string;
  readonly releasedAt?: string;
}

export interface QuarantineDetail {
  readonly id: string;
  readonly state: 'open' | 'released';
  readonly reason: string;
  readonly detail: string;
  readonly channel: string;
  readonly messageId: string;
  readonly topic?: string;
  readonly sender: string;
  readonly trusted: boolean;
  readonly payloadBytes: number;
  readonly appendedAt?: string;
  readonly quarantinedAt: string;
  readonly releasedAt?: string;
  readonly signature: string;
  readonly transactionId?: string;
  readonly payload: string;
  readonly encoding: 'utf8' | 'base64';
  readonly payloadTruncated: boolean;
}

export interface SinkRow {
  readonly name: string;
  readonly kind?: string;
  readonly inConfigFile: boolean;
  readonly state: 'delivering' | 'failing' | 'disabled';
  readonly pending: number;
  readonly oldestPendingAt?: string;
  readonly parked: number;
  readonly lastOutcome?: string;
  readonly failingSince?: string;
  readonly disabledAt?: string;
  readonly disabledBy?: string;
  readonly disabledReason?: string;
}

export interface CheckStatus {
  readonly name: string;
  readonly isUp: boolean;
  readonly message?: string;
}

export interface HopFault {
  readonly reason: string;
  readonly participant: string;
  readonly channel?: string;
  readonly interface?: string;
  readonly document?: string;
  readonly detail: string;
  readonly since: string;
}

export interface CertificateStatus {
  readonly name: string;
  readonly participant?: string;
  readonly daysLeft: number;
}

export interface HopStatus {
  readonly app: 'poller' | 'bus-publisher' | 'gateway' | 'subscriber';
  readonly name: string;
  readonly state: 'ok' | 'degraded' | 'error' | 'unreachable' | 'not-configured';
  readonly detail?: string;
  readonly version?: string;
  readonly checks: readonly CheckStatus[];
  readonly faults: readonly HopFault[];
  readonly furtherFaults: number;
  readonly certificates: readonly CertificateStatus[];
}

export interface RequestBudgetStatus {
  readonly seconds: number;
  readonly requests: number;
  readonly left?: number;
}

export interface InterfaceStatus {
  readonly interface: string;
  readonly lastSuccessAt?: string;
  readonly failingSince?: string;
  readonly budgets: readonly RequestBudgetStatus[];
}

export interface PollingStatus {
  readonly participant: string;
  readonly leaseHolder?: string;
  readonly interfaces: readonly InterfaceStatus[];
}

export interface QueueStatus {
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  readonly oldestWaitingSeconds: number;
  readonly deadLetters: number;
  readonly unverifiedDeadLetters: number;
}

export interface ReplicaStatus {
  readonly name: string;
  readonly isReader: boolean;
}

export interface HeartbeatStatus {
  readonly participant: string;
  readonly channel: string;
  readonly at: string;
  readonly ageSeconds: number;
}

export interface WatermarkStatus {
  readonly channel: string;
  readonly completeUntil: string;
  readonly ageSeconds: number;
}

export interface OpenProblemsStatus {
  readonly critical: number;
  readonly warning: number;
  readonly info: number;
  readonly unacknowledgedCritical: number;
  readonly disabledSinkWarnings?: number;
}

export interface ClosedMarginStatus {
  readonly participant: string;
  readonly level: 'WARNING' | 'BREACHED';
  readonly closedBy: string;
}

export interface SinkStatus {
  readonly sink: string;
  readonly failingSince?: string;
  readonly lastOutcome?: string;
  readonly disabledAt?: string;
  readonly disabledBy?: string;
  readonly disabledReason?: string;
  readonly pending: number;
  readonly parked: number;
}

export interface QuarantineStatus {
  readonly messages: number;
  readonly trusted: number;
}

export interface ArchiveStatus {
  readonly replicas: readonly ReplicaStatus[];
  readonly heartbeats: readonly HeartbeatStatus[];
  readonly watermarks: readonly WatermarkStatus[];
  readonly openProblems: OpenProblemsStatus;
  readonly closedMargins?: readonly ClosedMarginStatus[];
  readonly sinks: readonly SinkStatus[];
  readonly quarantine: QuarantineStatus;
  readonly unreadEvents: number;
}

export interface Status {
  readonly at: string;
  readonly state: 'ok' | 'degraded' | 'failing';
  readonly summary: string;
  readonly findings: readonly string[];
  readonly hops: readonly HopStatus[];
  readonly polling: readonly PollingStatus[];
  readonly queue?: QueueStatus;
  readonly databaseDetail?: string;
  readonly archive?: ArchiveStatus;
}

export interface MarginThresholds {
  readonly source: 'event' | 'configuration';
  readonly warning: string;
  readonly breach: string;
  readonly headroomToWarning?: string;
  readonly headroomToBreach?: string;
}

export interface PresentPosition {
  readonly eventId: string;
  readonly tradingDay: string;
  readonly calculatedAt: string;
  readonly prepayment?: string;
  readonly invoiceNotPaid?: string;
  readonly cumulativeEstimatedExposure?: string;
  readonly outstandingAmount?: string;
  readonly creditSupport?: string;
  readonly creditLimit?: string;
  readonly tradingLimit?: string;
  readonly tradingMargin?: string;
  readonly level?: 'OK' | 'WARNING' | 'BREACHED';
  readonly thresholds?: MarginThresholds;
}

export interface ForecastPosition {
  readonly tradingDay: string;
  readonly calculatedAt: string;
  readonly tradingMargin?: string;
  readonly outstandingAmount?: string;
}

export interface MarginBucket {
  readonly from: string;
  readonly calculations: number;
  readonly first: string;
  readonly firstAt: string;
  readonly last: string;
  readonly lastAt: string;
  readonly minimum: string;
  readonly minimumAt: string;
  readonly maximum: string;
  readonly maximumAt: string;
  readonly firstOutstandingAmount?: string;
  readonly lastOutstandingAmount?: string;
}

export interface ParticipantPosition {
  readonly participant: string;
  readonly latest?: PresentPosition;
  readonly forecasts: readonly ForecastPosition[];
  readonly bucketSeconds: number;
  readonly since: string;
  readonly until: string;
  readonly calculated: readonly MarginBucket[];
  readonly forecast: readonly MarginBucket[];
  readonly leftOut?: number;
}

export interface CalendarRow {
  readonly participant: string;
  readonly market: string;
  readonly periodFrom: string;
  readonly designation: string;
  readonly id: string;
  readonly status: 'expected' | 'overdue' | 'published' | 'revised' | 'invoiced' | 'removed';
  readonly date: string;
  readonly period?: string;
  readonly periodTo?: string;
  readonly statementDueDate?: string;
  readonly publishedAt?: string;
  readonly disagreeUntil?: string;
  readonly revisions: number;
  readonly revisedAt?: string;
  readonly payment?: string;
  readonly charge?: string;
  readonly statementOverdueSince?: string;
  readonly invoiceDueDate?: string;
  readonly invoiceOverdueSince?: string;
  readonly invoiceId?: string;
  readonly invoiceNumber?: string;
  readonly invoiceDate?: string;
  readonly invoiceTotal?: string;
  readonly paymentDueDate?: string;
  readonly payableAmount?: string;
  readonly direction?: 'pay' | 'receive';
  readonly discrepancies: number;
  readonly currency: 'AUD';
}

export interface StatementVersion {
  readonly eventId: string;
  readonly kind: 'published' | 'revised';
  readonly runId: number;
  readonly publishedAt: string;
  readonly disagreeUntil?: string;
  readonly payment: string;
  readonly charge: string;
  readonly previousRunId?: number;
  readonly previousPayment?: string;
  readonly previousCharge?: string;
  readonly paymentDifference?: string;
  readonly chargeDifference?: string;
  readonly lateSeconds?: number;
  readonly restated?: boolean;
}

export interface StatementVariable {
  readonly tradingDay: string;
  readonly variable: string;
  readonly pOrC: string;
  readonly gstApplicable: string;
  readonly value: string;
}

export interface VariablesSummary {
  readonly count: number;
  readonly payments: number;
  readonly charges: number;
  readonly sha256: string;
  readonly path: string;
}

export interface InvoiceRow {
  readonly participant: string;
  readonly market: string;
  readonly periodFrom: string;
  readonly designation: string;
  readonly id: string;
  readonly statementId: string;
  readonly number?: string;
  readonly status: 'issued' | 'adjusted' | 'reversed' | 'due' | 'overdue';
  readonly invoiceDate?: string;
  readonly dueDate?: string;
  readonly gstExclusive?: string;
  readonly gst?: string;
  readonly total?: string;
  readonly payableAmount?: string;
  readonly direction?: 'pay' | 'receive';
  readonly settlementRequired?: boolean;
  readonly adjustment?: number;
  readonly replacedBy?: string;
  readonly overdueSince?: string;
  readonly discrepancies: number;
  readonly currency: 'AUD';
}

export interface StatementDetail {
  readonly participant: string;
  readonly market: string;
  readonly periodFrom: string;
  readonly designation: string;
  readonly id: string;
  readonly status: 'expected' | 'overdue' | 'published' | 'revised' | 'invoiced' | 'removed';
  readonly date: string;
  readonly period?: string;
  readonly periodTo?: string;
  readonly statementDueDate?: string;
  readonly publishedAt?: string;
  readonly disagreeUntil?: string;
  readonly revisions: number;
  readonly revisedAt?: string;
  readonly payment?: string;
  readonly charge?: string;
  readonly statementOverdueSince?: string;
  readonly invoiceDueDate?: string;
  readonly invoiceOverdueSince?: string;
  readonly invoiceId?: string;
  readonly invoiceNumber?: string;
  readonly invoiceDate?: string;
  readonly invoiceTotal?: string;
  readonly paymentDueDate?: string;
  readonly payableAmount?: string;
  readonly direction?: 'pay' | 'receive';
  readonly discrepancies: number;
  readonly currency: 'AUD';
  readonly versions: readonly StatementVersion[];
  readonly moreVersions: boolean;
  readonly variables?: readonly StatementVariable[];
  readonly moreVariables: boolean;
  readonly variablesSummary?: VariablesSummary;
  readonly invoices: readonly InvoiceRow[];
  readonly moreInvoices: boolean;
}

export interface DifferenceRow {
  readonly tradingDay: string;
  readonly variable: string;
  readonly pOrC: string;
  readonly gstApplicable: string;
  readonly before?: string;
  readonly after?: string;
  readonly difference: string;
  readonly share: string;
}

export interface ComparedVersion {
  readonly eventId: string;
  readonly statementId: string;
  readonly designation: string;
  readonly runId: number;
  readonly publishedAt: string;
}

export interface TotalChange {
  readonly before: string;
  readonly after: string;
  readonly difference: string;
}

export interface ComparedTotals {
  readonly payment: TotalChange;
  readonly charge: TotalChange;
  readonly net: TotalChange;
}

export interface DifferencesPage {
  readonly before: ComparedVersion;
  readonly after: ComparedVersion;
  readonly count: number;
  readonly totals: ComparedTotals;
  readonly items: readonly DifferenceRow[];
  readonly next?: string;
}

export interface MarketPayments {
  readonly currency: 'AUD';
  readonly payable: string;
  readonly receivable: string;
  readonly net: string;
  readonly invoices: number;
  readonly withoutDirection: number;
  readonly market: string;
}

export interface PaymentDay {
  readonly currency: 'AUD';
  readonly payable: string;
  readonly receivable: string;
  readonly net: string;
  readonly invoices: number;
  readonly withoutDirection: number;
  readonly dueDate: string;
  readonly markets: readonly MarketPayments[];
}

export interface PaymentTotals {
  readonly currency: 'AUD';
  readonly payable: string;
  readonly receivable: string;
  readonly net: string;
  readonly invoices: number;
  readonly withoutDirection: number;
}

export interface PaymentsPage {
  readonly items: readonly PaymentDay[];
  readonly next?: string;
  readonly total: PaymentTotals;
}
