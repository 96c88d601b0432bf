/** A button in its frame; in a form it submits only where it says so. */
export function Button({ className = '', ...rest }: React.ComponentProps<'button'>) {
  return <button type="button" className={`button ${className}`} {...rest} />;
}
