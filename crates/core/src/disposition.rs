//! What is known about whether an action reached the application.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How far an action got, by what was observed and not by what an interface answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// Nothing reached the application. Also where the wanted state already held and nothing was sent.
    NotDelivered,
    /// It may have reached the application.
    DeliveryUncertain,
    /// It was handed over; its effect was not confirmed.
    DeliveredUnverified,
    /// Its effect was observed.
    DeliveredVerified,
    /// No claim.
    Unknown,
}

/// Whether the same request may be sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Retry {
    /// Sending it again cannot do it twice.
    Safe,
    /// Sending it again may do it twice.
    Unsafe,
    /// No claim.
    Unknown,
}

impl Delivery {
    /// Whether the request may be repeated: a pure function of the delivery.
    pub const fn retry(self) -> Retry {
        match self {
            Delivery::NotDelivered => Retry::Safe,
            Delivery::DeliveryUncertain | Delivery::DeliveredUnverified | Delivery::DeliveredVerified => Retry::Unsafe,
            Delivery::Unknown => Retry::Unknown,
        }
    }
}

/// A delivery together with what follows from it, as every answer about an action carries it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
pub struct Disposition {
    /// How far the action got.
    pub delivery: Delivery,
    /// Whether the same request may be sent again.
    pub retry: Retry,
}

impl From<Delivery> for Disposition {
    fn from(delivery: Delivery) -> Self {
        Disposition { delivery, retry: delivery.retry() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_not_delivered_is_safe_to_repeat() {
        let all = [
            Delivery::NotDelivered,
            Delivery::DeliveryUncertain,
            Delivery::DeliveredUnverified,
            Delivery::DeliveredVerified,
            Delivery::Unknown,
        ];
        for delivery in all {
            assert_eq!(delivery.retry() == Retry::Safe, delivery == Delivery::NotDelivered);
        }
    }
}
