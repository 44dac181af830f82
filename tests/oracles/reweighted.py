"""LR-KPCA by a general-purpose optimiser that knows nothing of the structure."""

import numpy as np
import scipy.optimize


def best_nearby(B, d, t, c, s2, loss, start):
    """Minimise over the ellipsoid from a start, by BFGS on the point before scaling; return the objective."""

    def value(x):
        coef = x * np.sqrt(s2 / (x @ (d * x)))
        return coef @ coef + c * np.sum(loss.value(t * (B @ coef)))

    def gradient(x):
        spread = x @ (d * x)
        scale = np.sqrt(s2 / spread)
        coef = x * scale
        g = 2 * coef + c * B.T @ (t * loss.slope(t * (B @ coef)))
        return scale * (g - d * x * (g @ x) / spread)

    return scipy.optimize.minimize(value, start, jac=gradient, method="BFGS", options={"gtol": 1e-10}).fun
