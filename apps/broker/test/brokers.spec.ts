// The suites share two brokers. Streams come first: a subscription to all channels also gets those of earlier suites,
// and none of their sessions may be left.
import './brokers/stream.suite.js';
import './brokers/stream-access.suite.js';
import './brokers/revocation.suite.js';
import './brokers/channels.suite.js';
import './brokers/claims.suite.js';
import './brokers/contract.suite.js';
import './brokers/did-documents.suite.js';
import './brokers/identity.suite.js';
import './brokers/reading.suite.js';
import './brokers/request-limits.suite.js';
import './brokers/roles-command.suite.js';
import './brokers/message-batches.suite.js';
