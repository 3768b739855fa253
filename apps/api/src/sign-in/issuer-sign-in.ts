import { Injectable } from '@nestjs/common';
import type { OpenIdConnectAccess } from '@ssb/keys';
import type { IDToken } from 'openid-client';
import { grantOf } from '../access/openid-connect/claims.js';
import { IssuerClient } from './issuer-client.js';
import type { SignedIn } from './session-start.js';
import type { PendingSignIn } from './sign-in-cookie.js';
import { SignInError } from './sign-in-error.js';

/** Signs in at the issuer of the access file. */
@Injectable()
export class IssuerSignIn {
  constructor(private readonly client: IssuerClient) {}

  get isConfigured(): boolean {
    return this.client.clientSettings !== undefined;
  }

  /** The address at the issuer. @throws SignInError */
  start({ values }: PendingSignIn): Promise<string> {
    return this.client.authorizationUrl(this.requireSettings(), values);
  }

  /**
   * Verifies the return from the issuer.
   * @param search of the request
   * @throws SignInError
   */
  async finish(search: string, { values, previousSession }: PendingSignIn): Promise<SignedIn> {
    const used = this.requireSettings();
    const claims = await this.client.exchange(used, search, values);
    const grant = grantOf(claims, used.access);
    if (grant === undefined)
      throw new SignInError('no-access', 'a claim for name, role or participants is missing or unknown');
    return {
      name: grant.name,
      identity: {
        kind: 'openid-connect',
        issuer: used.access.issuer,
        clientId: used.clientId,
        subject: claims.sub,
        claims: namedClaims(claims, used.access),
      },
      ...(previousSession !== undefined && { previousSession }),
    };
  }

  private requireSettings(): NonNullable<IssuerClient['clientSettings']> {
    const { clientSettings } = this.client;
    if (clientSettings === undefined)
      throw new SignInError(
        'unavailable',
        'CONSOLE_URL, OPENID_CONNECT_CLIENT_ID and openIdConnect of API_ACCESS_FILE are not all set',
      );
    return clientSettings;
  }
}

/** The claims that the access file names; a path names a member of the first. */
function namedClaims(
  claims: IDToken,
  { nameClaim, roleClaim, participantsClaim }: OpenIdConnectAccess,
): Record<string, unknown> {
  const names = [nameClaim, roleClaim, participantsClaim].map((claim) =>
    Object.hasOwn(claims, claim) ? claim : (claim.split('.')[0] ?? claim),
  );
  return Object.fromEntries(names.map((name) => [name, claims[name]]));
}
