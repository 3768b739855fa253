// The suites share one running console. Their order matters: later ones act, and send wrong messages.
import './console/pages.suite.js';
import './console/sign-in.suite.js';
import './console/live.suite.js';
import './console/evidence.suite.js';
import './console/keyboard.suite.js';
import './console/actions.suite.js';
import './console/text.suite.js';
