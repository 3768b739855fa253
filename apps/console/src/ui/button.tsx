import type { ComponentProps } from 'react';

type ButtonProps = ComponentProps<'button'> & { readonly kind?: 'primary' | 'plain' | 'danger' };

export function Button({ kind = 'plain', type = 'button', className = '', ...rest }: ButtonProps) {
  return <button type={type} className={`button button-${kind} ${className}`} {...rest} />;
}
