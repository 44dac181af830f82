"""What can be proved about the answers."""

from sskpca.theory._risk import RiskBound, lskpca_risk_bound, ramp_loss, risk_bound, sgt_risk_bound

__all__ = ["RiskBound", "lskpca_risk_bound", "ramp_loss", "risk_bound", "sgt_risk_bound"]
