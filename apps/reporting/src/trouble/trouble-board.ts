import type { ActiveTrouble, Trouble, TroubleKind } from '@ssb/market';
import { endOf, hits, isOver, type Asked } from './domain/active.js';

/** Troubles that may be switched on at once. */
export const MOST_TROUBLES = 100;

/** The board is full: one must end, or be switched off, before the next. */
export class TooManyTroublesError extends Error {
  override readonly name = 'TooManyTroublesError';
  constructor(readonly most: number) {
    super(`${most} troubles are switched on already`);
  }
}

/** One trouble that is switched on. */
export interface Switched {
  readonly id: number;
  readonly trouble: Trouble;
  /** Epoch milliseconds. */
  readonly setAt: number;
  /** Answers spoilt so far. */
  applied: number;
}

export interface TroubleBoardOptions {
  /** Told of every answer that is spoilt. */
  onApplied: (kind: TroubleKind) => void;
  /** The clock, epoch milliseconds. */
  now?: () => number;
}

/**
 * The troubles that are switched on in this process, in the order in which they were set. They are kept in memory: a restart ends them,
 * and each replica has its own.
 */
export class TroubleBoard {
  private readonly switched = new Map<number, Switched>();
  private lastId = 0;
  private readonly now: () => number;

  constructor(private readonly options: TroubleBoardOptions) {
    this.now = options.now ?? Date.now;
  }

  /** Looked at by every request, so it is nothing but a number compared. */
  get isEmpty(): boolean {
    return this.switched.size === 0;
  }

  /** @throws TooManyTroublesError */
  set(trouble: Trouble): ActiveTrouble {
    this.forgetThoseOver();
    if (this.switched.size >= MOST_TROUBLES) throw new TooManyTroublesError(MOST_TROUBLES);
    const one: Switched = { id: ++this.lastId, trouble, setAt: this.now(), applied: 0 };
    this.switched.set(one.id, one);
    return shown(one);
  }

  list(): ActiveTrouble[] {
    this.forgetThoseOver();
    return [...this.switched.values()].map(shown);
  }

  /** Whether it was still on. */
  clear(id: number): boolean {
    this.forgetThoseOver();
    return this.switched.delete(id);
  }

  /** How many were still on. */
  clearAll(): number {
    const count = this.list().length;
    this.switched.clear();
    return count;
  }

  /** Those that hit a request, in the order in which they were set. */
  hitting(asked: Asked): Switched[] {
    this.forgetThoseOver();
    return [...this.switched.values()].filter((one) => hits(one, asked));
  }

  /** Takes one of the times that a trouble has; false when it has ended meanwhile, and then nothing may be spoilt. */
  claim(one: Switched): boolean {
    if (this.switched.get(one.id) !== one || isOver(one, this.now())) return false;
    one.applied += 1;
    this.options.onApplied(one.trouble.kind);
    return true;
  }

  private forgetThoseOver(): void {
    const now = this.now();
    for (const one of this.switched.values()) if (isOver(one, now)) this.switched.delete(one.id);
  }
}

function shown(one: Switched): ActiveTrouble {
  const end = endOf(one);
  return {
    id: one.id,
    trouble: one.trouble,
    applied: one.applied,
    ...(end !== undefined && { endsAt: new Date(end).toISOString() }),
  };
}
