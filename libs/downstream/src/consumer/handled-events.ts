import type { EventIdentity, KnownEvent } from './event-store.js';

/** Bounds ids and subjects, each of them: about 20 MB. Handled heartbeats of a participant and channel are 1,440 a day. */
export const DEFAULT_MAX_EVENTS = 100_000;

/** Times in milliseconds since 1970, undefined when nothing was removed. */
export interface Horizons {
  /** Ids of events that were signed before may have been removed. */
  readonly ids?: number | undefined;
  /** Subjects whose last event was signed before may have been removed. */
  readonly subjects?: number | undefined;
}

/** A bounded index of handled events. What it removes moves a horizon, so that a repeat is never taken for a new event. */
export class HandledEvents {
  /** Signing times by id, oldest arrival first. */
  private readonly ids = new Map<string, number>();
  /** By subject, least recently used first. */
  private readonly subjects = new Map<string, { readonly sequence: string; readonly signedAt: number }>();
  private idHorizon: number | undefined;
  private subjectHorizon: number | undefined;

  constructor(private readonly maxEvents: number) {
    if (!Number.isSafeInteger(maxEvents) || maxEvents < 1)
      throw new RangeError('maxEvents takes a whole number of at least 1.');
  }

  get horizons(): Horizons {
    return { ids: this.idHorizon, subjects: this.subjectHorizon };
  }

  /** Number of ids and subjects. */
  get size(): number {
    return this.ids.size + this.subjects.size;
  }

  find({ id, subject, sequence, signedat }: EventIdentity): KnownEvent {
    const known = this.subjects.get(subject)?.sequence;
    const mayBeRemoved = this.subjectHorizon !== undefined && Date.parse(signedat) < this.subjectHorizon;
    return {
      isHeld: this.ids.has(id),
      highestSequence: known ?? (mayBeRemoved ? sequence : undefined),
      heldSince: this.idHorizon === undefined ? undefined : new Date(this.idHorizon),
    };
  }

  add({ id, subject, sequence, signedat }: EventIdentity): void {
    if (this.ids.has(id)) return;
    const signedAt = Date.parse(signedat);
    this.ids.set(id, signedAt);
    this.addSubject(subject, sequence, signedAt);
    this.removeOldest();
  }

  addSubject(subject: string, sequence: string, signedAt: number): void {
    const known = this.subjects.get(subject);
    this.subjects.delete(subject);
    this.subjects.set(subject, {
      sequence: known !== undefined && known.sequence > sequence ? known.sequence : sequence,
      signedAt: Math.max(signedAt, known?.signedAt ?? signedAt),
    });
  }

  addId(id: string, signedAt: number): void {
    this.ids.set(id, signedAt);
  }

  /** Applies horizons of an earlier index. */
  restore({ ids, subjects }: Horizons): void {
    this.idHorizon = later(this.idHorizon, ids);
    this.subjectHorizon = later(this.subjectHorizon, subjects);
  }

  /** Everything that another index needs to continue as this one. */
  *entries(): Generator<{ readonly id: string; readonly signedAt: number } | SubjectEntry> {
    for (const [id, signedAt] of this.ids) yield { id, signedAt };
    for (const [subject, each] of this.subjects) yield { subject, ...each };
  }

  /** Removes what is above the bound. */
  removeOldest(): void {
    for (const [id, signedAt] of this.ids) {
      if (this.ids.size <= this.maxEvents) break;
      this.ids.delete(id);
      this.idHorizon = later(this.idHorizon, signedAt + 1);
    }
    for (const [subject, { signedAt }] of this.subjects) {
      if (this.subjects.size <= this.maxEvents) break;
      this.subjects.delete(subject);
      this.subjectHorizon = later(this.subjectHorizon, signedAt + 1);
    }
  }
}

export interface SubjectEntry {
  readonly subject: string;
  readonly sequence: string;
  readonly signedAt: number;
}

function later(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.max(one, other);
}
