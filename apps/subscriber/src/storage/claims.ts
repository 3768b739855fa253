/** $1: the replica's term has not ended, by the database's clock. */
export const TERM_IS_ACTIVE =
  'EXISTS (SELECT 1 FROM replica WHERE fencing_token = $1 AND expires_at > clock_timestamp())';

/** Like `claimed_by = $1`, but avoids the index of claims, which has many outdated entries. */
export const CLAIMED_HERE = 'claimed_by IS NOT DISTINCT FROM $1';
