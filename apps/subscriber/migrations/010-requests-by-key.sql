-- Names a silence to people: the key of the request that added it, also when that request was deleted.
ALTER TABLE silence ADD COLUMN silence_key uuid NOT NULL DEFAULT gen_random_uuid();
UPDATE silence SET silence_key = request_key FROM request WHERE request_id = silence_id;
CREATE UNIQUE INDEX silence_key ON silence (silence_key);

-- Requests of one author, and what the audit log has of a request.
CREATE INDEX request_author ON request (author, request_id);
CREATE INDEX audit_request ON audit (request_id);

-- Ended problems in the order of listings.
CREATE INDEX problem_ended ON problem (ended_at, problem_id) WHERE ended_at IS NOT NULL;
