-- A migration of its own, so that the archive can be read while the index is built.
CREATE INDEX archive_document_version ON archive (document_version) WHERE document_version IS NOT NULL;
