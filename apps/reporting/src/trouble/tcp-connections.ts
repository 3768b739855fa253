import type { Server } from 'node:http';
import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/**
 * The TCP connections of a server. Only the TCP socket can be reset, and a TLS socket does not tell which one lies beneath it; the two are
 * brought together by the peer's address.
 */
export class TcpConnections {
  private readonly open = new Map<string, Socket>();

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      const peer = peerOf(socket);
      this.open.set(peer, socket);
      socket.once('close', () => {
        if (this.open.get(peer) === socket) this.open.delete(peer);
      });
    });
  }

  /** Ends a connection as a crash or a firewall does: no farewell, and what was not yet delivered is lost (RFC 9293 §3.5.3). */
  reset(socket: Socket): void {
    const tcp = socket instanceof TLSSocket ? this.open.get(peerOf(socket)) : socket;
    if (tcp === undefined) socket.destroy();
    else tcp.resetAndDestroy();
  }
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
