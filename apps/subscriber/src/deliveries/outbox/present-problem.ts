/**
 * SQL: the problem of a delivery as it is now, as `ProblemPart`; null without a problem. Times are RFC 3339 with offset.
 * @param problemId SQL, the id of the problem
 * @param sink SQL, the sink whose reminders and escalations are counted
 */
export const presentProblem = (problemId: string, sink: string): string =>
  `CASE WHEN ${problemId} IS NOT NULL THEN (
     SELECT json_strip_nulls(json_build_object('kind', present.kind, 'state', present.state, 'since', present.since, 'worsened', present.worsened,
       'figures', present.figures, 'worstFigures', present.worst_figures,
       'acknowledged', CASE WHEN acknowledged_at IS NOT NULL
         THEN json_build_object('at', acknowledged_at, 'by', acknowledged_by, 'comment', acknowledge_comment) END,
       'closed', CASE WHEN closed_by IS NOT NULL THEN json_build_object('at', ended_at, 'by', closed_by, 'comment', close_comment) END,
       'reminders', sent.reminders, 'escalations', sent.escalations))
     FROM problem AS present CROSS JOIN LATERAL (
       SELECT count(*) FILTER (WHERE each.kind = 'reminder') AS reminders, count(*) FILTER (WHERE each.kind = 'escalation') AS escalations
       FROM delivery AS each
       WHERE each.problem_id = present.problem_id AND each.sink = ${sink} AND each.kind IN ('reminder', 'escalation')
         AND each.withheld IS NULL AND each.last_outcome IS DISTINCT FROM 'withdrawn'
     ) AS sent
     WHERE present.problem_id = ${problemId}
   ) END`;
