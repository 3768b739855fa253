import type { ProblemEffect } from '../../domain/delivery-kind.js';
import { decideRequest, type ProblemRequest, type RequestDecision } from './decide-request.js';
import { decideTransition, type ArchivedSignal } from './decide-transition.js';
import { staysClosed, toKeyText, type Problem, type ProblemChange, type ProblemKey } from './problem.js';

/** Applies events and requests to problems, one after the other, and collects what is to be stored. */
export class ProblemBatch {
  private readonly open: Map<string, Problem>;
  private readonly handled: Set<string>;
  private readonly changed = new Map<string, Problem>();
  private readonly recorded: ProblemChange[] = [];

  /**
   * @param open the open and acknowledged problems of all keys of the batch
   * @param handled the keys whose problem a person has closed, and that stay closed
   */
  constructor(open: readonly Problem[], handled: readonly ProblemKey[] = []) {
    this.open = new Map(open.map((problem) => [toKeyText(problem), problem]));
    this.handled = new Set(handled.map(toKeyText));
  }

  /** The problems to store. */
  get problems(): readonly Problem[] {
    return [...this.changed.values()];
  }

  /** Their new changes, in order. */
  get changes(): readonly ProblemChange[] {
    return this.recorded;
  }

  /** The open or acknowledged problem of a key. */
  find(key: ProblemKey): Problem | undefined {
    return this.open.get(toKeyText(key));
  }

  /** Whether the event is about a problem that a person has closed, and that stays closed. */
  isHandled({ signal }: ArchivedSignal): boolean {
    return signal.effect === 'lasts' && this.handled.has(toKeyText(signal));
  }

  /** @returns undefined when the event changes no problem */
  apply(event: ArchivedSignal): ProblemEffect | undefined {
    const transition = decideTransition(this.find(event.signal), event, this.isHandled(event));
    if (transition === undefined) return undefined;
    const { change, isRaised, problem } = transition;
    const { eventId, archivedAt: at, signal } = event;
    this.record(problem, { kind: change, at, eventId, figures: signal.figures });
    const { problemId, state, severity, worstSeverity } = problem;
    return { problemId, change, isRaised, state, severity, worstSeverity };
  }

  request(problem: Problem | undefined, request: ProblemRequest): RequestDecision {
    const decision = decideRequest(problem, request);
    if (decision.outcome === 'done') {
      const kind = request.kind === 'close' ? 'closed' : 'acknowledged';
      this.record(decision.problem, { kind, at: request.at, requestId: request.requestId });
    }
    return decision;
  }

  private record(
    problem: Problem,
    cause: Pick<ProblemChange, 'kind' | 'at' | 'eventId' | 'requestId' | 'figures'>,
  ): void {
    const { problemId, changes: number, severity, level, endedAt } = problem;
    this.changed.set(problemId, problem);
    this.recorded.push({ problemId, number, severity, level, ...cause });
    if (endedAt === undefined) this.open.set(toKeyText(problem), problem);
    else this.open.delete(toKeyText(problem));
    if (problem.state === 'closed' && staysClosed(problem)) this.handled.add(toKeyText(problem));
  }
}
