/** A delivery that its sink has not accepted, or that a newer one replaced. */
export interface Undelivered {
  /** Position of the event in the archive. */
  readonly position: bigint;
  readonly state: 'pending' | 'parked' | 'replaced';
  readonly sink: string;
  readonly eventId: string;
  readonly type: string;
  readonly subject: string;
  /** True: an alert; false: a notice. */
  readonly alert: boolean;
  readonly archivedAt: Date;
  readonly attempts: number;
  readonly lastOutcome: string | undefined;
  /** Of a parked delivery. */
  readonly parkedAt: Date | undefined;
  /** Of a parked delivery: its next attempt, at the latest. */
  readonly parkedUntil: Date | undefined;
  /** Id of the event that replaced it. */
  readonly replacedBy: string | undefined;
}

export interface UndeliveredRow {
  position: string;
  event_id: string;
  sink: string;
  type: string;
  subject: string;
  alert: boolean;
  attempts: number;
  last_outcome: string | null;
  replaced_by: string | null;
  parked_at: Date | null;
  parked_until: Date | null;
  archived_at: Date;
}

export function toUndelivered(row: UndeliveredRow): Undelivered {
  const isParked = row.parked_until !== null;
  return {
    position: BigInt(row.position),
    state: isParked ? 'parked' : row.replaced_by === null ? 'pending' : 'replaced',
    sink: row.sink,
    eventId: row.event_id,
    type: row.type,
    subject: row.subject,
    alert: row.alert,
    archivedAt: row.archived_at,
    attempts: row.attempts,
    lastOutcome: row.last_outcome ?? undefined,
    parkedAt: (isParked && row.parked_at) || undefined,
    parkedUntil: row.parked_until ?? undefined,
    replacedBy: row.replaced_by ?? undefined,
  };
}
