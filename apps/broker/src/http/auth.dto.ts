import { IsNotEmpty, IsString } from 'class-validator';

/** Body of `POST /auth/login`: a compact JWS (ES256K) of `{iss: did, aud, iat, exp, jti}`. */
export class LoginDto {
  @IsNotEmpty()
  @IsString()
  readonly identityToken!: string;
}
