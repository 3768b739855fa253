// The suites share one broker. Their order matters: a subscriber to all channels also receives messages of earlier
// suites, so those with many or large messages are last.
import './bus/events-delivery.suite.js';
import './bus/events-sharing.suite.js';
import './bus/messages.suite.js';
import './bus/document-002.suite.js';
