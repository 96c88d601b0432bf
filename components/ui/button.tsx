export function Button({ className = '', ...rest }: React.ComponentProps<'button'>) {
  return <button type="button" className={`button ${className}`} {...rest} />;
}
