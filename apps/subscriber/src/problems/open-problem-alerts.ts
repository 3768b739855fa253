import type { SqlSession } from '@ssb/postgres';
import type { ProblemEffect } from '../domain/delivery-kind.js';

type AppliedEvent = Pick<ProblemEffect, 'problemId' | 'state' | 'severity'> & { readonly eventId: string };

/** Events in a statement. */
const PAGE_SIZE = 10_000;

/** Collects the events of open problems, and assigns the alerts of these events to the problems. */
export class OpenProblemAlerts {
  private readonly events = new Map<string, AppliedEvent[]>();

  /** @param effect what the event did to its problem, and the problem after it */
  add(eventId: string, { problemId, change, state, severity }: ProblemEffect): void {
    if (change === 'resolved') return this.remove(problemId);
    const event = { eventId, problemId, state, severity };
    const known = this.events.get(problemId);
    if (known === undefined) this.events.set(problemId, [event]);
    else known.push(event);
  }

  /** The problem has ended. */
  remove(problemId: string): void {
    this.events.delete(problemId);
  }

  /** Afterwards reminders, acknowledgements and the end of a problem reach the sinks of its alerts. Alerts that have their problem are unchanged. */
  async assign(session: SqlSession): Promise<void> {
    const events = [...this.events.values()].flat();
    for (let at = 0; at < events.length; at += PAGE_SIZE) {
      const page = events.slice(at, at + PAGE_SIZE);
      await session.query(ASSIGN, [
        page.map(({ eventId }) => eventId),
        page.map(({ problemId }) => problemId),
        page.map(({ state }) => state),
        page.map(({ severity }) => severity),
      ]);
    }
  }
}

/** The problem of an alert that is archived just before the first rebuild may begin with an earlier event once it is derived. */
const ASSIGN = `UPDATE delivery SET problem_id = given.problem_id, problem_state = given.state, severity = given.severity
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS given (event_id, problem_id, state, severity)
  WHERE delivery.event_id = given.event_id AND kind = 'alert' AND delivery.problem_id IS DISTINCT FROM given.problem_id`;
