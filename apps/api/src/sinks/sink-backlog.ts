import type { Caller } from '../access/caller.js';

/**
 * SQL: the name of each sink, how many deliveries wait for it (`pending`), and how many it has refused (`parked`).
 * @param subjects which rows of `delivery_subject` are counted
 */
export const countBySink = (subjects = 'true'): string =>
  `SELECT sink, coalesce(waiting.count, 0)::integer AS pending, coalesce(refused.count, 0)::integer AS parked
   FROM (SELECT sink, sum(pending) AS count FROM delivery_subject WHERE ${subjects} GROUP BY sink) AS waiting
   FULL JOIN (SELECT sink, count(*) AS count FROM delivery WHERE parked_until IS NOT NULL GROUP BY sink) AS refused USING (sink)`;

/** SQL: an outcome without its detail, which may name addresses of a sink. */
export const withoutDetail = (outcome: string): string => `NULLIF(split_part(${outcome}, ':', 1), '')`;

/** SQL: an outcome as the caller may see it. */
export const outcomeFor = ({ role }: Pick<Caller, 'role'>, outcome: string): string =>
  role === 'operator' ? `NULLIF(${outcome}, '')` : withoutDetail(outcome);
