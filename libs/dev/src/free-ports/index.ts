export { freePort, freePorts, tryListen } from './free-ports.js';
