import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@ssb/postgres';
import { DATABASE } from '../../database/database-options.js';
import type { StoredEvent } from '../../receiver/domain/verify-stored-event.js';
import type { SinkMessage } from '../sinks/alert-sink.js';
import { presentProblem } from './present-problem.js';

/** A problem that lasts, with its newest event. */
export type OpenProblem = SinkMessage & StoredEvent & { readonly problemId: string };

const MAX_PAGE = 200;

/** The problems about which a sink has accepted an alert and that have not ended. */
@Injectable()
export class OpenProblems {
  constructor(@Inject(DATABASE) private readonly database: Database) {}

  /** The next page of the problems of a sink, by id. @param after id of the last one of the page before; empty for the first page */
  async read(sink: string, after: string): Promise<OpenProblem[]> {
    return this.database.query<OpenProblem>(
      `SELECT archive.event_id AS "eventId", 'alert' AS kind, problem.severity, problem.problem_id AS "problemId",
              problem.state AS "problemState", ${presentProblem('problem.problem_id', '$1')} AS problem, archive.marks, false AS replayed, archive.type, archive.subject, archive.participant,
              archive.sequence, archive.channel, archive.message_id AS "messageId", archive.sender, archive.origin, archive.signature,
              archive.event AS text
       FROM problem JOIN archive USING (event_id)
       WHERE ended_at IS NULL AND problem.problem_id > $2 AND EXISTS (
         SELECT FROM delivery WHERE delivery.problem_id = problem.problem_id AND sink = $1
           AND delivery.kind IN ('alert', 'reminder', 'escalation') AND delivered_at < 'infinity' AND last_outcome LIKE 'delivered%')
       ORDER BY problem.problem_id LIMIT ${MAX_PAGE}`,
      [sink, after],
    );
  }
}
