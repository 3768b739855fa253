-- Events that were deleted before deletions were recorded. A migration of its own, so that events can be stored meanwhile.
INSERT INTO deleted_event (event_id)
SELECT event_id FROM inbox WHERE NOT EXISTS (SELECT FROM archive WHERE archive.event_id = inbox.event_id)
ON CONFLICT DO NOTHING;
