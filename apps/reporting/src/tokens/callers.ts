import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { CallerVerdict } from '../domain/access.js';
import { NO_MAP, participantMapped, type ParticipantMap } from '../domain/participant-map.js';
import { isParticipantCode, participantNamed, type NamePlace } from '../domain/participant-name.js';
import { readThumbprint } from '../domain/thumbprint.js';
import { clientCertificateOf, type ClientCertificate } from './client-certificate.js';
import { TrustedProxies } from './trusted-proxies.js';

export interface CallerOptions {
  /** Where in a certificate the participant code stands, and in what form of names. */
  place: NamePlace;
  form: string;
  proxies: TrustedProxies;
  /** Names of the headers that a trusted proxy sets, in small letters. */
  participantHeader: string;
  thumbprintHeader: string;
}

/**
 * Who is calling: whom the client certificate names, or whom a trusted proxy says it has verified (document 000,
 * Authentication). The same headers from anybody else are refused, never believed.
 */
@Injectable()
export class Callers {
  private map: ParticipantMap = NO_MAP;
  /** What each certificate was found to name by this map; an entry goes with its connection. */
  private named = new WeakMap<ClientCertificate, CallerVerdict>();

  constructor(readonly options: CallerOptions) {}

  /** Takes a new map of certificates to participants into use, from the next request on. */
  useMap(map: ParticipantMap): void {
    this.map = map;
    this.named = new WeakMap();
  }

  of(request: IncomingMessage): CallerVerdict {
    const { proxies, participantHeader, thumbprintHeader } = this.options;
    if (proxies.any) {
      if (proxies.trusts(request.socket)) return this.toldBy(request);
      if (participantHeader in request.headers || thumbprintHeader in request.headers) {
        return unknown(
          'proxy-not-trusted',
          `The headers ${participantHeader} and ${thumbprintHeader} are taken from a trusted proxy alone: leave them out.`,
        );
      }
    }
    const certificate = clientCertificateOf(request.socket);
    if (certificate === undefined) {
      return unknown('certificate-missing', 'A client certificate of an accepted authority is needed.');
    }
    const known = this.named.get(certificate);
    if (known !== undefined) return known;
    const verdict = this.namedBy(certificate);
    this.named.set(certificate, verdict);
    return verdict;
  }

  private namedBy(certificate: ClientCertificate): CallerVerdict {
    const { place, form } = this.options;
    const participant =
      participantMapped(this.map, certificate) ?? participantNamed(certificate.names, place, form);
    if (participant !== undefined) return { ok: true, participant, thumbprint: certificate.thumbprint };
    return unknown(
      'certificate-names-nobody',
      place === 'map-only'
        ? 'The client certificate is none that a participant is known by here.'
        : `The client certificate must carry exactly one participant code, as ${form} in its ${place}.`,
    );
  }

  private toldBy(request: IncomingMessage): CallerVerdict {
    const { participantHeader, thumbprintHeader } = this.options;
    const [participant, ...others] = request.headersDistinct[participantHeader] ?? [];
    if (participant === undefined || others.length > 0 || !isParticipantCode(participant)) {
      return unknown(
        'proxy-names-nobody',
        `The proxy must set ${participantHeader} exactly once, to the participant code of the certificate that it verified.`,
      );
    }
    const [thumbprint = '', ...otherThumbprints] = request.headersDistinct[thumbprintHeader] ?? [];
    if (otherThumbprints.length > 0) {
      return unknown('proxy-names-nobody', `The proxy must set ${thumbprintHeader} once, or not at all.`);
    }
    return { ok: true, participant, thumbprint: readThumbprint(thumbprint) };
  }
}

function unknown(reason: (CallerVerdict & { ok: false })['reason'], detail: string): CallerVerdict {
  return { ok: false, reason, detail };
}
