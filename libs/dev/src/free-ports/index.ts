export { freePort, freePorts, NoFreePortsError, tryListen } from './free-ports.js';
