import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TroubleKind, TroubleOf } from '@ssb/market';
import type { Switched } from '../trouble-board.js';

/** One request at the participants' port that a trouble hits. */
export interface Hit<Kind extends TroubleKind> {
  readonly one: Switched<TroubleOf<Kind>>;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly participant: string | undefined;
  /** Takes one of the trouble's times, directly before it is applied; when false, nothing may be spoilt. */
  readonly claim: () => boolean;
}

/** What becomes of a request before the service sees it: it goes on, or has got its (bad) answer. */
export type Before = 'goes-on' | 'answered';

/** What becomes of a 200 body on its way out: another body, the same one, or its sending was taken over. */
export type BodyOut = { readonly body: string | Uint8Array } | 'unchanged' | 'sent';
