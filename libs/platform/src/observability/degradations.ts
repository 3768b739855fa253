import { Injectable } from '@nestjs/common';

/** A fault that the app cannot end by itself, and that leaves the app ready. */
export interface Degradation {
  readonly reason: string;
  /** Participant code, or `*` when every participant is affected. */
  readonly participant: string;
  readonly channel?: string;
  readonly sender?: string;
  readonly interface?: string;
  readonly document?: string;
  /** One sentence, without payload and secrets. */
  readonly detail: string;
  readonly since: Date;
}

/** The faults that `/health` reports. */
@Injectable()
export class Degradations {
  private readonly byKey = new Map<string, Degradation>();

  /** @param key identifies the fault; setting it again replaces it */
  set(key: string, degradation: Degradation): void {
    this.byKey.set(key, degradation);
  }

  delete(key: string): void {
    this.byKey.delete(key);
  }

  list(): readonly Degradation[] {
    return [...this.byKey.values()];
  }
}
