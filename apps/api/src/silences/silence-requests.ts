import { Injectable } from '@nestjs/common';
import {
  findTypePattern,
  silenceMatchers,
  suggestTypes,
  tryParseDuration,
  type SilenceMatchers,
} from '@ssb/config';
import { InvalidRequestError, ProblemException } from '@ssb/platform';
import type { Caller } from '../access/caller.js';
import { invalid, notFound } from '../http/problems.js';
import { isStorable, MAX_CODE_LENGTH } from '../http/texts.js';
import type { RequestRow } from '../requests/request-dto.js';
import { RequestWriter } from '../requests/request-writer.js';
import type { Wait } from '../requests/wait.js';
import type { NewSilence } from './silence-dto.js';
import { SilenceQueries } from './silence-queries.js';

/** Requests about silences. */
@Injectable()
export class SilenceRequests {
  constructor(
    private readonly silences: SilenceQueries,
    private readonly writer: RequestWriter,
  ) {}

  /** @throws InvalidRequestError for a silence that covers nothing, has no end, or is not about the participants of the caller alone */
  add(caller: Caller, silence: NewSilence, wait: Wait): Promise<RequestRow> {
    const { startsAt, endsAt, for: length, comment } = silence;
    if ((endsAt === undefined) === (length === undefined))
      throw invalid('endsAt', 'Give either endsAt or for: when the silence ends');
    const seconds = length === undefined ? undefined : (tryParseDuration(length) ?? 0) / 1_000;
    const parameters = { matchers: parseMatchers(silence.matchers, caller), startsAt, endsAt, seconds };
    return this.writer.add(caller, { kind: 'silence', parameters, comment }, wait);
  }

  /** @throws ProblemException 404 for a silence that the caller may not see, 409 when it has ended */
  async end(caller: Caller, id: string, comment: string | undefined, wait: Wait): Promise<RequestRow> {
    const { number, silence } = (await this.silences.find(caller, id)) ?? notFound('silence');
    if (silence.state === 'ended')
      throw new ProblemException(409, 'Conflict', `The silence ended at ${silence.endsAt.toISOString()}.`);
    return this.writer.add(caller, { kind: 'end-silence', parameters: { silenceId: number }, comment }, wait);
  }
}

function parseMatchers(given: object, { participants: own }: Caller): SilenceMatchers {
  const parsed = silenceMatchers.safeParse(given);
  if (!parsed.success)
    throw new InvalidRequestError(
      parsed.error.issues.slice(0, 20).map(({ path, message }) => {
        const place = ['matchers', ...path].join('.').slice(0, 100);
        return { path: place, message: `${place} ${message}` };
      }),
    );
  const { participants, types, ...others } = parsed.data;
  if (participants?.every((code) => isStorable(code, MAX_CODE_LENGTH)) === false)
    throw invalid('matchers.participants', 'matchers.participants must be codes of participants');
  if (own !== 'all' && (participants === undefined || !participants.every((code) => own.includes(code))))
    throw invalid(
      'matchers.participants',
      `matchers.participants must name participants, each one of ${own.join(', ')}`,
    );
  return {
    ...others,
    ...(participants && { participants }),
    ...(types && { types: types.map(requireType) }),
  };
}

/** The whole pattern of a type that is given without prefix and version. */
function requireType(text: string): string {
  const pattern = findTypePattern(text);
  if (pattern === undefined)
    throw invalid(
      'matchers.types',
      `matchers.types must be event types or patterns, such as margin.breached or margin.*. ${suggestTypes(text)}`,
    );
  return pattern;
}
