import { Injectable } from '@nestjs/common';
import type { z } from 'zod';
import { ActionAudit, type Action, type ActionEnd } from '../audit/action-audit.js';
import { Hops, toProblem, type HopApp } from './hops.js';
import type { HopRequest, HopResult } from './management-client.js';

/** An action of a person that another app carries out. */
export interface HopAction<T extends z.ZodType> {
  readonly app: HopApp;
  readonly request: HopRequest;
  readonly response: T;
  /** What the audit log keeps of the response: no payload and no secret. */
  readonly summarise: (value: z.output<T>) => Readonly<Record<string, unknown>>;
  /** Where a person sees whether it was carried out, such as `GET /v1/dead-letters`. */
  readonly lookAt: string;
}

/** Sends actions to other apps, and records author, time and result in the audit log. */
@Injectable()
export class HopActions {
  constructor(
    private readonly hops: Hops,
    private readonly audit: ActionAudit,
  ) {}

  /** @throws ProblemException when the app did not carry it out, or may not have */
  async carryOut<T extends z.ZodType>(action: Action, hopAction: HopAction<T>): Promise<z.output<T>> {
    const { app, request, response, summarise, lookAt } = hopAction;
    const { sent } = await this.audit.carryOut(action, async () => {
      const result = await this.hops.act(app, response, request);
      return { ...describeEnd(result, summarise), sent: result };
    });
    if (sent.outcome === 'done') return sent.value;
    throw toProblem(
      app,
      sent,
      sent.outcome === 'unknown'
        ? `It may have carried the action out: look at ${lookAt} before you repeat it.`
        : 'It has not carried the action out.',
    );
  }
}

function describeEnd<T>(
  result: HopResult<T>,
  summarise: (value: T) => Readonly<Record<string, unknown>>,
): ActionEnd {
  if (result.outcome === 'done') return { outcome: 'done', result: summarise(result.value) };
  const { outcome, detail } = result;
  return { outcome, result: { reason: detail } };
}
